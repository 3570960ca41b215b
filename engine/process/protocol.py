"""Messages between the window and the engine process: JSON lines on stdin and stdout, one message a line.

The window sends a ``Request``, the engine answers with ``Reply`` messages and the events of ``engine.trace.events``.
Each request carries an ``id``; every reply to it names it. Nothing but these messages goes to stdout, the log goes to
stderr. Neither MLX nor Qt is imported here.

A conversation belongs to the window: ``Ask`` carries all of it, so a restarted engine needs nothing but the next
``Ask``. The engine keeps the keys and values of each arm's last turn and reuses them where the new prompt begins alike.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from engine.process.shelf import DEFAULT_RESERVE_BYTES, Fit
from engine.trace.events import (
    Arm,
    Failed,
    Finished,
    Machine,
    MemorySample,
    ModelFacts,
    Prefill,
    Round,
    Started,
)

PROTOCOL = 1


class Turn(Struct, frozen=True, kw_only=True):
    """One exchange that lies behind: what the user wrote and what this arm answered."""

    user: str
    assistant: str


class Open(Struct, frozen=True, kw_only=True, tag="open"):
    """Load what these arms need and drop what they don't. Answered by ``Estimate`` where something is to be loaded,
    ``Loading`` ..., then ``Opened`` or ``Refused``.
    """

    id: int
    arms: tuple[Arm, ...]
    reserve_bytes: int = DEFAULT_RESERVE_BYTES
    """Memory left to the rest of the machine when the load is judged."""
    anyway: bool = False
    """Load what was refused for its memory."""


class Ask(Struct, frozen=True, kw_only=True, tag="ask"):
    """Run the arms on one prompt. Answered by trace events, then ``Done`` or ``Refused``.

    Opens the arms first where they aren't open.
    """

    id: int
    turn: int
    arms: tuple[Arm, ...]
    prompt: str
    system: str = ""
    history: dict[str, tuple[Turn, ...]] = {}
    """Earlier turns by arm name."""
    raw: bool = False
    """Continue ``prompt`` as it stands, without the chat template."""
    order: str = "interleaved"
    """``interleaved``: in turn by emitted tokens, A B B A. ``sequential``: one arm after the other."""
    reserve_bytes: int = DEFAULT_RESERVE_BYTES
    anyway: bool = False
    """As in ``Open``."""


class Cancel(Struct, frozen=True, kw_only=True, tag="cancel"):
    """Stop the request with this id (or what runs now: 0) within one round; its text stays. A fetch keeps what it has,
    a load is given up.
    """

    id: int = 0


class Ping(Struct, frozen=True, kw_only=True, tag="ping"):
    """Answered by ``Pong`` from the reader thread, even during a long forward."""

    id: int


class Unload(Struct, frozen=True, kw_only=True, tag="unload"):
    """Give all memory back: the process begins anew, under the same id and on the same pipes, without any model.

    Answered by a ``Hello``. What was asked for before it is carried out first, what is asked for after it is not lost.
    """

    id: int


class Quit(Struct, frozen=True, kw_only=True, tag="quit"):
    pass


Request = Open | Ask | Cancel | Ping | Unload | Quit


class Hello(Struct, frozen=True, kw_only=True, tag="hello"):
    """First line of a new engine."""

    protocol: int = PROTOCOL
    app: str
    machine: Machine


class Loading(Struct, frozen=True, kw_only=True, tag="loading"):
    """Sign of life while models are fetched or loaded; ``total`` 0 where it isn't known."""

    id: int
    what: str
    done: int = 0
    total: int = 0
    unit: str = ""


class Estimate(Struct, frozen=True, kw_only=True, tag="estimate"):
    """Before anything is loaded: what the arms of a request take together, judged against what is free."""

    id: int
    fit: Fit
    """``tight``: it is loaded all the same, and its ``message`` warns. ``too large``, or more than is free:
    ``Refused`` follows, unless ``anyway`` was asked for."""
    new_bytes: int = 0
    """Of ``fit.total_bytes``, what is not in the engine's hands yet."""


class Eased(Struct, frozen=True, kw_only=True, tag="eased"):
    """Memory is short on this machine: the engine gave back what it could spare, between two rounds."""

    freed_bytes: int
    message: str
    """One sentence."""


class Opened(Struct, frozen=True, kw_only=True, tag="opened"):
    id: int
    targets: dict[str, ModelFacts]
    """By arm name."""
    drafters: dict[str, ModelFacts]


class Checked(Struct, frozen=True, kw_only=True, tag="checked"):
    """After ``Opened``, for each arm whose drafter reads its target's layers: whether the two belong together. Nothing
    is said of a drafter that this program trained for this very target.

    Asked once a pair, by guessing on a short text of the target's own (``engine.drafters.intake``).
    """

    id: int
    arm: str
    verdict: str
    """``fits``, ``wrong row``, ``wrong taps``, ``not this target's``, ``can't tell`` or ``refused``."""
    message: str
    """One sentence: what it means and what to do."""


class Done(Struct, frozen=True, kw_only=True, tag="done"):
    """All arms of an ``Ask`` have ended, each with ``Finished`` or ``Failed``."""

    id: int


class Refused(Struct, frozen=True, kw_only=True, tag="refused"):
    """The request can't be carried out. One sentence: what, where, what to do."""

    id: int
    message: str
    arm: str = ""
    reason: str = ""
    """``memory``: asked once more with ``anyway``, it is loaded. ``stopped``: it was cancelled. Otherwise empty."""


class Pong(Struct, frozen=True, kw_only=True, tag="pong"):
    id: int
    busy_s: float
    """How long the forward that runs now has been running; 0 when idle."""


Reply = (
    Hello
    | Loading
    | Estimate
    | Eased
    | Opened
    | Checked
    | Done
    | Refused
    | Pong
    | Started
    | Prefill
    | Round
    | Finished
    | Failed
    | MemorySample
)

encode = msgspec.json.Encoder().encode
decode_request = msgspec.json.Decoder(Request).decode
decode_reply = msgspec.json.Decoder(Reply).decode
