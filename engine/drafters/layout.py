"""What a block drafter is, whatever dialect its checkpoint was written in.

One descriptor for schemes A (EAGLE-3 head, or B's layers row by row), B (DFlash), C (DSpark, Domino), D (DFlash 2) and
E (cascade). ``formats`` translates public checkpoints into it, ``save`` writes and reads it, the modules are built from
it. Conventions are fixed here, once:

gamma       how many tokens a block proposes
rows        ``fill-in``: gamma + 1 rows [anchor, mask ...], row k >= 1 predicts the token at its own place
            ``anchor-first``: gamma rows, row k predicts the token after its own place
taps        layers of the target by position from 0; a tap is the OUTPUT of that layer, in the order ``fc`` reads them
windows     context tokens a layer sees, 0 for all. Of anchor position s, row k and context position t:
            ``per-query``: t is visible where s + k - t < window
            ``per-anchor``: t is visible where t >= s - window, for every row alike
            The block itself is always visible (or causal), however small the window.
causal      per layer: a row sees the rows up to itself; otherwise the whole block
draft ids   a reduced vocabulary proposes ``draft_vocabulary`` tokens only; the weights hold their ids in the target's
            vocabulary, ``draft_ids`` [draft_vocabulary]
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

Scheme = Literal["A", "B", "C", "D", "E"]
Rows = Literal["fill-in", "anchor-first"]
WindowRule = Literal["per-query", "per-anchor"]
MarkovKind = Literal["vanilla", "gated", "rnn"]
Form = Literal["innovation", "plain"]


SCHEME_HEADS: dict[Scheme, tuple[str, ...]] = {
    "A": ("eagle", "recurrent"),
    "B": (),
    "C": ("markov", "domino"),
    "D": ("dflash2",),
    "E": ("cascade",),
}
HEADS = tuple(name for names in SCHEME_HEADS.values() for name in names)


class LayoutError(ValueError):
    """A layout that can't be built. One sentence: what, where, what to do."""


class Rope(Struct, frozen=True, kw_only=True):
    """Rotary positions, absolute: row k of a block stands at position s + k."""

    theta: float = 10000.0
    dims: int = 0
    """Dimensions that turn; 0 is the whole head."""
    traditional: bool = False
    scaling: dict[str, Any] | None = None
    """As in mlx-lm's ``initialize_rope``: ``type`` linear, llama3, yarn, ..."""
    max_positions: int = 0


class Eagle(Struct, frozen=True, kw_only=True):
    """A: one layer that reads [token embedding; hidden state], fed back its own output (EAGLE-3)."""

    norm_before_residual: bool = False
    """The residual is the normalised hidden state, not the plain one."""
    norm_before_fc: bool = False
    """The taps are normalised (``input_norm``) before ``fc``."""


class Recurrent(Struct, frozen=True, kw_only=True):
    """A, an extension of ours: B's backbone, run one row at a time. Each row reads, in place of the target's features,
    what the row before it left (``feedback``), and that row's token: EAGLE's recurrence with more than one layer."""


class Markov(Struct, frozen=True, kw_only=True):
    """C, DSpark: logits of a position corrected by the token chosen before it."""

    kind: MarkovKind = "vanilla"
    rank: int = 256
    confidence: bool = False
    """Has ``confidence_head``: how sure a position is, for cutting the block."""
    confidence_with_markov: bool = True
    """The confidence head reads the predecessor's embedding beside the hidden state."""


class Domino(Struct, frozen=True, kw_only=True):
    """C, Domino: a GRU over the embeddings of the tokens chosen so far corrects the logits."""

    gru_size: int = 1024
    rank: int = 256
    pure_prefix: int = 1
    """The first so many predictions are left uncorrected."""


class Dflash2(Struct, frozen=True, kw_only=True):
    """D: dynamic convolutions around both sublayers, and a selector among candidates."""

    conv_kernel: int = 2
    conv_group: int = 16
    selector_rank: int = 256


class Cascade(Struct, frozen=True, kw_only=True):
    """E. The switches choose what runs, never which weights there are."""

    lens_rank: int = 128
    transition_rank: int = 64
    injected: int = -1
    """How many layers from layer 1 on receive their predecessors' forming features; -1 is all, 0 none."""
    transitions: bool = True
    """False: candidates are chosen by the logits alone."""
    form: Form = "innovation"


class Layout(Struct, frozen=True, kw_only=True):
    scheme: Scheme
    gamma: int
    rows: Rows = "fill-in"
    taps: tuple[int, ...]
    mask_id: int = 0

    hidden_size: int
    tap_size: int = 0
    """Width of one tap; 0 is ``hidden_size``."""
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate_size: int
    rms_norm_eps: float = 1e-6
    qk_norm: bool = True
    attention_bias: bool = False
    rope: Rope = field(default_factory=Rope)

    causal: tuple[bool, ...] = ()
    """One for each layer; empty: none is."""
    windows: tuple[int, ...] = ()
    """One for each layer, 0 sees all; empty: all see all."""
    window_rule: WindowRule = "per-query"

    direct: bool = False
    """Every row also receives a linear reading of its own of the anchor's embedding and of H_ctx of the token before
    it, ``direct_proj`` [rows H, 2 H]: an extension of ours. A young drafter need not learn first where in its context
    the newest token stands, and can begin with what least squares know (``engine.train.regression``)."""
    reader: bool = False
    """What ``direct`` rows read of the token before the anchor is read off its taps by ``reader`` [H, taps x H] in
    place of H_ctx, which is then free to be what a target's own last layers attend to (``engine.train.tail``)."""

    vocabulary: int
    """The target's."""
    draft_vocabulary: int = 0
    """0 proposes from the target's whole vocabulary; otherwise the weights hold ``draft_ids``."""
    own_embedding: bool = False
    """The weights hold ``embed_tokens.weight`` [V, H]; otherwise the target's embedding is borrowed."""
    own_head: bool = False
    """The weights hold ``lm_head.weight`` [draft vocabulary, H]; otherwise the target's head is borrowed."""
    embedding_scale: float = 1.0
    logit_multiplier: float = 1.0
    logit_softcap: float = 0.0
    """0 is off."""

    eagle: Eagle | None = None
    recurrent: Recurrent | None = None
    markov: Markov | None = None
    domino: Domino | None = None
    dflash2: Dflash2 | None = None
    cascade: Cascade | None = None

    def __post_init__(self) -> None:
        problem = _problem(self)
        if problem:
            raise LayoutError(f"[Layout] {problem}")

    @property
    def block_rows(self) -> int:
        """Rows the backbone runs for a whole block."""
        return self.rows_for(self.gamma)

    @property
    def direct_rows(self) -> int:
        """Rows that ``direct_proj`` has a reading for; recurrent rows share one."""
        return 1 if self.recurrent else self.block_rows

    @property
    def proposed_vocabulary(self) -> int:
        return self.draft_vocabulary or self.vocabulary

    @property
    def fc_size(self) -> int:
        """Inputs of ``fc``."""
        return len(self.taps) * (self.tap_size or self.hidden_size)

    def rows_for(self, width: int) -> int:
        """Rows the backbone runs to propose ``width`` tokens."""
        return width + 1 if self.rows == "fill-in" else width

    def is_causal(self, layer: int) -> bool:
        return bool(self.causal) and self.causal[layer]

    def window(self, layer: int) -> int:
        return self.windows[layer] if self.windows else 0

    def visible(self, layer: int) -> int:
        """Context tokens that the anchor's row sees at most; 0 is all."""
        window = self.window(layer)
        return 0 if not window else window - 1 if self.window_rule == "per-query" else window


def _problem(y: Layout) -> str:
    """The first thing wrong, empty where nothing is."""
    positive = ("gamma", "hidden_size", "layers", "heads", "kv_heads", "head_dim", "intermediate_size", "vocabulary")
    for name in positive:
        if getattr(y, name) < 1:
            return f"'{name}' must be positive but got {getattr(y, name)}."
    if not y.taps or len(set(y.taps)) != len(y.taps) or min(y.taps) < 0:
        return f"'taps' must be different layers counted from 0 but got {list(y.taps)}."
    if y.heads % y.kv_heads:
        return f"'heads' must be a multiple of 'kv_heads' but got {y.heads} and {y.kv_heads}."
    if not 0 <= y.mask_id < y.vocabulary:
        return f"'mask_id' must be a token below {y.vocabulary} but got {y.mask_id}."
    for name in ("causal", "windows"):
        if len(getattr(y, name)) not in (0, y.layers):
            return f"'{name}' must have one entry for each of {y.layers} layers but has {len(getattr(y, name))}."
    if any(window < 0 or window == 1 for window in y.windows):
        return f"'windows' must be 0 or at least 2 tokens but got {list(y.windows)}."
    if not 0 <= y.draft_vocabulary <= y.vocabulary:
        return f"'draft_vocabulary' must be at most {y.vocabulary} but got {y.draft_vocabulary}."
    if y.reader and not y.direct:
        return "'reader' is what 'direct' rows read, but 'direct' is off."
    if y.logit_softcap < 0:
        return f"'logit_softcap' must not be negative but got {y.logit_softcap}."
    wanted = SCHEME_HEADS[y.scheme]
    found = tuple(name for name in HEADS if getattr(y, name) is not None)
    if len(found) != min(1, len(wanted)) or not set(found) <= set(wanted):
        needs = " or ".join(wanted) or f"none of {', '.join(HEADS)}"
        return f"scheme {y.scheme} needs {needs} but got {', '.join(found) or 'none'}."
    if y.eagle and (y.layers != 1 or y.rows != "anchor-first"):
        return f"an EAGLE-3 head has one layer and rows 'anchor-first' but got {y.layers} and '{y.rows}'."
    if y.recurrent and not (y.reader and y.rows == "anchor-first"):
        return f"recurrent rows need 'reader' and rows 'anchor-first' but got {y.reader} and '{y.rows}'."
    if y.recurrent and any(y.windows):
        return f"recurrent rows see the whole text, so 'windows' must be off but got {list(y.windows)}."
    if y.dflash2 and y.hidden_size % y.dflash2.conv_group:
        return f"'conv_group' must divide hidden_size {y.hidden_size} but got {y.dflash2.conv_group}."
    if y.cascade and not -1 <= y.cascade.injected < y.layers:
        return f"'injected' must be -1 to {y.layers - 1} but got {y.cascade.injected}."
    return ""
