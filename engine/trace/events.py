"""The contract: what the engine says, one event at a time.

An engine turns a prompt into a stream of rounds; everything else is a view of that stream. The panes, the
heatmap, the gauges, the metrics, the verdict, the trace file and its replay read the records of this module
and nothing else. They are records without behaviour; what can be computed from them is in ``metrics``.

Units are in the names: ``_s`` seconds on a monotonic clock, ``_bytes``, ``_tokens``. ``t_s`` is the time since
the run of this turn began (one clock for all arms, so a replay is honest). The other ``_s`` fields count an arm's own
work only: while another arm of the race has its turn, this arm's clock stands still.

This module imports neither MLX nor Qt: the window and any script may import it.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

SCHEMA = "slipstream-trace/1"

Origin = Literal["accepted", "correction", "bonus", "plain"]
"""Where an emitted token came from.

accepted    drafted, and kept by the acceptance rule
correction  the target's own token at the first rejected position
bonus       the target's own token after a block whose every draft was kept
plain       the target's own token of a round that drafted nothing
"""

FinishReason = Literal["stop", "length", "context", "cancelled", "failed"]


class Settings(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """Decoding settings of one arm. Each one changes what runs."""

    block: int = 8
    """Rows the target verifies at once: the anchor and up to ``block - 1`` drafts."""
    tree: bool = False
    """Drafts may branch: where it is unclear what comes, several tokens of a position are verified at once. Of a
    drafter that is weighed with a table."""
    candidate_width: int = 16
    """Candidates a position keeps, for drafters that choose among candidates."""
    injected_layers: int = -1
    """Scheme E: layers that receive their predecessors' forming predictions; -1 as trained, 0 none."""
    confidence_threshold: float = 0.0
    """A drafter that says how sure it is ends its block before the first position below this; a blend before the first
    that is reached and kept with less chance than this. 0 never does."""
    temperature: float = 0.0
    """0 is greedy: the argmax of every row."""
    top_p: float = 1.0
    top_k: int = 0
    """0 keeps all tokens."""
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    """1 is off."""
    repetition_window_tokens: int = 64
    seed: int = 0
    max_tokens: int = 256
    """-1: until the target stops or its context is full."""
    stop: tuple[str, ...] = ()
    """Stop strings; the text ends before the first of them."""
    kv_bits: int = 0
    """0 keeps keys and values in the model's own precision; 4 or 8 quantises them."""
    fallback: bool = False
    """Let the arm go on without its drafter while the drafter costs more than it brings."""
    timing_every: int = 8
    """Every n-th round waits between draft and verify, so that their times can be told apart; 0 never does."""


class Arm(Struct, frozen=True, kw_only=True):
    """Target + drafter or none + settings: what a race compares."""

    name: str
    """Unique in the race: ``baseline``, ``lookup``, ..."""
    target: str = "embedded"
    """``embedded``, the directory of an mlx-lm model, or a hub id."""
    drafter: str = "none"
    """``none``, ``lookup``, or the directory or hub id of a drafter; joined by ``+`` the first that proposes wins."""
    settings: Settings = field(default_factory=Settings)


class ModelFacts(Struct, frozen=True, kw_only=True):
    name: str
    path: str = ""
    revision: str = ""
    architecture: str = ""
    bits: int = 0
    """0: not quantised."""
    group_size: int = 0
    held_as: str = ""
    """How this backend holds the weights: ``packed`` or ``float32``; a lab may hold them as ``bfloat16``."""
    weights_bytes: int = 0
    context_tokens: int = 0
    vocabulary: int = 0
    layers: int = 0
    hidden_size: int = 0


class Machine(Struct, frozen=True, kw_only=True):
    """The environment of a result. A figure without it cannot be carried elsewhere."""

    chip: str
    memory_bytes: int
    os: str
    backend: str
    """``metal`` or ``cpu``."""
    cores: int = 0
    python: str = ""
    mlx: str = ""
    mlx_lm: str = ""
    notes: tuple[str, ...] = ()
    """What makes figures of this machine differ, e.g. a missing BLAS."""


class Header(Struct, frozen=True, kw_only=True, tag="header"):
    """First line of a trace."""

    schema: str = SCHEMA
    created: str
    """ISO 8601, with zone."""
    app: str
    machine: Machine
    has_text: bool = True
    """False: prompts, texts and token ids were left out when this trace was written."""


class Started(Struct, frozen=True, kw_only=True, tag="started"):
    """An arm accepted a prompt."""

    arm: str
    turn: int
    t_s: float
    spec: Arm
    target: ModelFacts
    drafter: ModelFacts | None = None
    system: str = ""
    prompt: str = ""
    """The user's turn as typed; the template's rendering is in ``prompt_ids``."""
    prompt_ids: tuple[int, ...] = ()
    prompt_tokens: int
    cached_tokens: int = 0
    """Leading prompt tokens whose keys and values were still held from the turn before."""
    columns: int = 0
    """Most drafts a round of this arm can hold: ``block - 1``, 0 without a drafter."""
    labels: dict[str, str] = {}
    """What a lab knows of this run: name and layers of the prompt, the cell and what it varies; empty elsewhere."""


class Prefill(Struct, frozen=True, kw_only=True, tag="prefill"):
    """Progress of a prefill, one event a chunk."""

    arm: str
    turn: int
    t_s: float
    processed_tokens: int
    """Cached tokens included."""
    total_tokens: int
    prefill_s: float
    """Own time so far."""


class Round(Struct, frozen=True, kw_only=True, tag="round"):
    """One target forward and what it decided.

    ``width`` drafts were verified in ``width + 1`` rows. Row ``j`` gives the target's distribution after the anchor
    and the first ``j`` drafts. ``accepted`` drafts were kept; ``emitted_ids`` are those and one token of the target's
    own (its correction, its bonus, or a plain token), fewer where a stop or the token limit cut the block:
    ``len(emitted_ids) == len(origins) == len(pieces)``. Round 0 is the forward of the last prompt rows: it has width
    0 and emits the first token.
    """

    arm: str
    turn: int
    index: int
    t_s: float
    """When the round ended."""

    context_tokens: int
    """Tokens the target's cache holds when the round begins, the anchor not included."""
    requested_width: int
    width: int
    width_reason: str = ""
    """Why ``width`` is below ``requested_width``: ``no match``, ``drafter``, ``max tokens``, ``context``,
    ``fallback``, ``confidence``, ``tree`` (other rows were spent on branches).
    """
    source: str = ""
    """Which drafter proposed: ``lookup``, ``autoregressive``, ...; empty in a round without drafts."""

    draft_ids: tuple[int, ...] = ()
    draft_q: tuple[float, ...] = ()
    """q of each drawn draft; 1 where the drafter proposes a point mass."""
    draft_p: tuple[float, ...] = ()
    """Target's p of each draft, under the arm's sampling; at temperature 0 the model's own softmax."""
    target_ids: tuple[int, ...] = ()
    """Argmax of each row, ``width + 1`` of them."""
    margins: tuple[float, ...] = ()
    """Logit of the first minus the second choice, each row."""

    accepted: int
    emitted_ids: tuple[int, ...] = ()
    emitted_tokens: int
    """``len(emitted_ids)``; stays when ids are left out of a trace."""
    origins: tuple[Origin, ...] = ()
    pieces: tuple[str, ...] = ()
    """Text that each emitted token completed. A character split over tokens belongs to the last of them, and text that
    may be the start of a stop string is held back; all pieces and ``Finished.tail`` together are the text."""
    draft_texts: tuple[str, ...] = ()
    target_texts: tuple[str, ...] = ()

    draft_s: float = 0.0
    verify_s: float = 0.0
    accept_s: float = 0.0
    commit_s: float = 0.0
    other_s: float = 0.0
    split: bool = True
    """Draft and verify were timed apart. Where false, ``draft_s`` is host time only and ``verify_s`` holds both
    forwards.
    """

    target_forwards: int = 1
    tree_rows: int = 0
    """Where the drafts were a tree: its rows, the anchor's among them. What stands above is one path through it: the
    one that was taken, and what would have come next. 0 where drafts were a block and nothing else."""
    sibling_ids: tuple[tuple[int, ...], ...] = ()
    """Of a tree: what else was drafted at the place of each of ``draft_ids``."""
    sibling_texts: tuple[tuple[str, ...], ...] = ()
    lanes: int = 1
    """Requests whose rows shared the target forward of this round: 1 outside a batch. The rounds of one such forward
    end at the same ``t_s``, and each states its whole time."""
    drafter_forwards: int = 0
    active_bytes: int = 0
    allocator_bytes: int = 0
    peak_bytes: int = 0
    """Most that the engine process has held since the run began; all arms share it."""
    kv_bytes: int = 0
    """Keys and values of this arm's target."""
    drafter_state_bytes: int = 0
    """Caches and tables of this arm's drafter."""

    fallback: bool = False
    """The drafter was left out because it costs more than it brings."""
    near_tie: bool = False
    """An emitted row's margin is below the noise of this backend's arithmetic."""
    warning: str = ""


class Finished(Struct, frozen=True, kw_only=True, tag="finished"):
    arm: str
    turn: int
    t_s: float
    reason: FinishReason
    tail: str = ""
    """Text still held back when the arm ended."""
    stop: str = ""
    """The stop string that ended the text, where one did."""
    output_tokens: int
    time_to_first_token_s: float = 0.0
    """Own time from the prompt to the first emitted token; 0 where none was."""
    own_s: float = 0.0
    """All of the arm's own time, prefill included."""


class Failed(Struct, frozen=True, kw_only=True, tag="failed"):
    """An arm could not go on; what it emitted so far stays."""

    arm: str
    turn: int
    t_s: float
    message: str
    """One sentence: what, where, what to do."""


class Judged(Struct, frozen=True, kw_only=True, tag="judged"):
    """The verdict on an arm's turn against the first arm's, written where a trace leaves out the ids it rests on."""

    arm: str
    turn: int
    t_s: float
    status: Literal["identical", "near-tie", "fail", "sampled", "not-comparable"]
    first_difference: int | None = None
    """Index of the first token that differs; with ``own_choice`` False, of the token that is not the target's own."""
    margin: float | None = None
    """Larger of the two arms' margins there, in logits; null where neither recorded one."""
    tokens: int = 0
    """Leading tokens found equal."""
    own_choice: bool = True
    """Every emitted token was the argmax of its row."""


class MemorySample(Struct, frozen=True, kw_only=True, tag="memory"):
    """Memory of machine and engine; the parts of ``active_bytes`` are named where known."""

    t_s: float
    machine_bytes: int
    available_bytes: int
    """What the machine could still give away without swapping."""
    process_bytes: int
    active_bytes: int
    allocator_bytes: int
    peak_bytes: int
    target_weights_bytes: int = 0
    drafter_weights_bytes: int = 0
    kv_bytes: int = 0
    drafter_state_bytes: int = 0
    pressure: Literal["normal", "warn", "critical"] = "normal"


Event = Header | Started | Prefill | Round | Finished | Failed | Judged | MemorySample
