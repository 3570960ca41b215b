"""Trace files: one JSON object a line, the header first, then the events as they happened.

A trace is written while its session runs, so a crash loses one line at most. What is wrong with a file is said in one
sentence: what, where, what to do. Versions: a reader of ``slipstream-trace/1`` also reads ``slipstream-trace/1.x``;
fields and events that a newer minor version added are passed over.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine.trace.events import SCHEMA, Event, Failed, Finished, Header, Judged, MemorySample, Prefill, Round, Started
from engine.trace.judge import Judge

SUFFIX = ".slipstream"
MOST_DRAFTS = 1024
"""Widest round a reader accepts; a larger number is damage, not data."""
LONGEST_S = 1e10

TEXT_FIELDS: dict[type[Struct], tuple[str, ...]] = {
    Started: ("system", "prompt", "prompt_ids"),
    Round: (
        "draft_ids",
        "target_ids",
        "emitted_ids",
        "pieces",
        "draft_texts",
        "target_texts",
        "sibling_ids",
        "sibling_texts",
    ),
    Finished: ("tail", "stop"),
}
"""What is left out where a trace keeps no text. Settings' stop strings and the folders of models go with it."""

_TAGS = {
    event.__struct_config__.tag: event
    for event in (Header, Started, Prefill, Round, Finished, Failed, Judged, MemorySample)
}
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Event).decode


class TraceError(Exception):
    """One sentence: what, where, what to do."""


class Trace(Struct, kw_only=True):
    """A whole trace in memory."""

    header: Header
    events: tuple[Event, ...]
    """Everything after the header, in order of happening."""
    truncated: str = ""
    """One sentence where the file ends inside a line; what comes before it is all there."""
    skipped_events: int = 0
    """Lines of kinds that a newer minor version added."""


class _Tag(Struct):
    type: str


def reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


# Writing


class Writer:
    """Writes a session as it happens and flushes each line.

    ``keep_text=False`` leaves out all texts and token ids; counts, origins, numbers and verdicts stay. When the file
    can't be written any more, the session must go on: ``on_error`` is called once with one sentence and the writer goes
    quiet. Without ``on_error``, ``TraceError`` is raised, once.
    """

    def __init__(
        self, path: str | os.PathLike[str], keep_text: bool = True, on_error: Callable[[str], None] | None = None
    ) -> None:
        self.path = Path(path)
        self.keep_text = keep_text
        self.failure = ""
        self._on_error = on_error
        self._has_header = False
        self._stripper = None if keep_text else Stripper()
        refuse_to_replace(self.path)
        try:
            self._file = self.path.open("wb")
        except OSError as error:
            raise TraceError(f"{self.path} can't be written ({reason(error)}): choose another place.") from error

    def write(self, event: Event) -> None:
        """Append one event; the first must be the ``Header``."""
        if isinstance(event, Header) == self._has_header:
            raise ValueError("a trace begins with its header and has one only")
        self._has_header = True
        if self.failure or self._file.closed:
            return
        kept = [event] if self._stripper is None else self._stripper.take(event)
        try:
            self._file.write(b"".join(encode(finite(each)) + b"\n" for each in kept))
            self._file.flush()
        except OSError as error:
            self._fail(error)

    def close(self) -> None:
        """Close the file; writing afterwards does nothing."""
        if self._file.closed:
            return
        try:
            self._file.close()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        if self.failure:
            return
        self.failure = (
            f"The trace {self.path} stops here ({reason(error)}): the session goes on unrecorded; "
            "free some space or choose another place."
        )
        with contextlib.suppress(OSError):
            self._file.close()
        if self._on_error is None:
            raise TraceError(self.failure) from error
        self._on_error(self.failure)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def encode(event: Event) -> bytes:
    """One line; halves of characters, as a prompt from a shell may hold, become question marks."""
    try:
        return _encode(event)
    except UnicodeEncodeError:
        return _encode(_whole_characters(msgspec.to_builtins(event)))


def _whole_characters(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case dict():
            return {name: _whole_characters(item) for name, item in value.items()}
        case list() | tuple():
            return [_whole_characters(item) for item in value]
    return value


def refuse_to_replace(path: Path) -> None:
    """An older trace may be replaced, another kind of file never."""
    if path.is_dir():
        raise TraceError(f"{path} is a folder: name a file in it.")
    try:
        with path.open("rb") as file:
            start = file.read(200)
    except OSError:
        return
    if start and path.is_file() and SCHEMA.partition("/")[0].encode() not in start:
        raise TraceError(f"{path} exists and is not a trace: choose another name or move it away.")


def without_text(event: Event) -> Event:
    """The event without prompts, texts and token ids."""
    changes: dict[str, Any] = {name: type(getattr(event, name))() for name in TEXT_FIELDS.get(type(event), ())}
    match event:
        case Header():
            changes["has_text"] = False
        case Started():
            spec = event.spec
            changes["spec"] = replace(
                spec,
                target=_last_part(spec.target),
                drafter="+".join(_last_part(part) for part in spec.drafter.split("+")),
                settings=replace(spec.settings, stop=()),
            )
            changes["target"] = replace(event.target, path="")
            changes["drafter"] = event.drafter and replace(event.drafter, path="")
    return replace(event, **changes) if changes else event


class Stripper:
    """Leaves the text out of a session, event by event, and keeps the verdicts that could no longer be found then."""

    def __init__(self) -> None:
        self._judge = Judge()

    def take(self, event: Event) -> list[Event]:
        """What is to be written in place of ``event``."""
        self._judge.add(event)
        kept = [without_text(event)]
        if isinstance(event, Finished | Failed):
            kept += self._judge.settled(event)
        return kept


def trace_without_text(trace: Trace) -> Trace:
    """A whole trace without its text; one that has none already stays as it is."""
    if not trace.header.has_text:
        return trace
    stripper = Stripper()
    events = tuple(kept for event in trace.events for kept in stripper.take(event))
    header = without_text(trace.header)
    return replace(trace, header=header, events=events)


def _last_part(name: str) -> str:
    """A folder's own name; hub ids and the names of built-in models stay whole."""
    return Path(name).name if Path(name).is_absolute() or name.startswith(("~", ".")) else name


def finite(event: Event) -> Event:
    """JSON has no infinity and no NaN: these become the largest number and 0, and ``warning`` says so."""
    if not isinstance(event, Round) or all(map(math.isfinite, (*event.draft_q, *event.draft_p, *event.margins))):
        return event
    changes = {name: tuple(map(_finite, getattr(event, name))) for name in ("draft_q", "draft_p", "margins")}
    warning = f"{event.warning}; " if event.warning else ""
    return replace(event, **changes, warning=f"{warning}a number that was not finite is recorded as 0 or the largest")


def _finite(value: float) -> float:
    if math.isnan(value):
        return 0.0
    return math.copysign(sys.float_info.max, value) if math.isinf(value) else value


# Reading


def read(path: str | os.PathLike[str]) -> Trace:
    """A validated trace, or ``TraceError``."""
    path = Path(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise TraceError(f"There is no trace {path}: check the name.") from None
    except IsADirectoryError:
        raise TraceError(f"{path} is a folder: name one of the traces in it.") from None
    except OSError as error:
        raise TraceError(f"{path} can't be read ({reason(error)}).") from error
    return parse(content, str(path))


def parse(content: bytes, name: str) -> Trace:
    """``read`` for bytes at hand; ``name`` is what errors call them."""
    if not content.strip():
        raise TraceError(f"{name} is empty: nothing was recorded in it.")
    lines = [(number, line) for number, line in enumerate(content.split(b"\n"), start=1) if line.strip()]
    header = _header(lines[0][1].removeprefix(b"\xef\xbb\xbf"), name)
    is_newer = header.schema != SCHEMA
    events: list[Event] = []
    truncated, skipped = "", 0
    for number, line in lines[1:]:
        try:
            event = _decode(line)
            problem = "a second header" if isinstance(event, Header) else _inconsistency(event)
        except msgspec.ValidationError as error:
            if is_newer and _is_unknown(line):
                skipped += 1
                continue
            problem = str(error)
        except RecursionError:
            problem = "nested without end"
        except msgspec.DecodeError as error:
            if number == lines[-1][0]:
                truncated = f"{name} ends inside line {number}: the session was interrupted while it was written."
                break
            problem = str(error)
        if problem:
            raise TraceError(f"{name} is damaged in line {number} ({problem}): remove that line to read the rest.")
        events.append(event)
    return Trace(header=header, events=tuple(events), truncated=truncated, skipped_events=skipped)


def _header(line: bytes, name: str) -> Header:
    not_a_trace = f"{name} is not a Slipstream trace: its first line is no header."
    try:
        fields = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        if line.startswith(b'{"type":"header"'):
            raise TraceError(f"{name} ends inside its header: nothing was recorded in it.") from None
        raise TraceError(not_a_trace) from None
    if not isinstance(fields, dict) or fields.get("type") != "header":
        raise TraceError(not_a_trace)
    schema = fields.get("schema", "")
    if not _is_readable(schema):
        raise TraceError(f"{name} has the format {schema!r} and this version reads {SCHEMA!r}: update Slipstream.")
    try:
        return msgspec.convert(fields, Header)
    except msgspec.ValidationError as error:
        raise TraceError(f"{name} has a header that can't be read ({error}).") from None


def _is_readable(schema: object) -> bool:
    if not isinstance(schema, str):
        return False
    minor = schema.removeprefix(SCHEMA + ".")
    return schema == SCHEMA or (minor != schema and minor.isdecimal())


def _is_unknown(line: bytes) -> bool:
    try:
        return msgspec.json.decode(line, type=_Tag).type not in _TAGS
    except msgspec.DecodeError:
        return False


def _inconsistency(event: Event) -> str:
    """What about an event can't be, in a few words; empty where it holds together."""
    match event:
        case Round():
            return _round_inconsistency(event)
        case Started():
            times: tuple[float, ...] = (event.t_s,)
            counts: tuple[int, ...] = (event.turn, event.prompt_tokens, event.cached_tokens, event.columns)
        case Prefill():
            times, counts = (event.t_s, event.prefill_s), (event.turn, event.processed_tokens, event.total_tokens)
        case Finished():
            times = (event.t_s, event.own_s, event.time_to_first_token_s)
            counts = (event.turn, event.output_tokens)
        case Judged():
            times, counts = (event.t_s,), (event.turn, event.tokens, event.first_difference or 0)
        case _:
            return ""
    return _out_of_range(times, counts)


def _out_of_range(times: tuple[float, ...], counts: tuple[int, ...]) -> str:
    if not all(0 <= value < LONGEST_S for value in times):
        return "a time is negative or beyond measure"
    return "a count is negative" if min(counts) < 0 else ""


def _round_inconsistency(item: Round) -> str:
    emitted, width, rows = item.emitted_tokens, item.width, item.width + 1
    if not 0 <= width <= MOST_DRAFTS:
        return f"a width of {width}"
    if not 0 <= item.accepted <= width:
        return f"{item.accepted} of {width} drafts accepted"
    if len(item.origins) != emitted or not 0 <= emitted <= rows:
        return f"{emitted} tokens emitted with {len(item.origins)} origins in {rows} rows"
    if len(item.emitted_ids) not in (0, emitted) or len(item.pieces) not in (0, emitted):
        return "emitted tokens, ids and pieces differ in number"
    if any(len(per_draft) not in (0, width) for per_draft in (item.draft_ids, item.draft_q, item.draft_p)):
        return f"fewer or more than {width} drafts listed"
    if item.tree_rows and not (width and rows <= item.tree_rows <= MOST_DRAFTS + 1):
        return f"a tree of {item.tree_rows} rows with a path of {rows}"
    for beside in (item.sibling_ids, item.sibling_texts):
        if len(beside) not in (0, width) or rows + sum(map(len, beside)) > max(item.tree_rows, rows):
            return f"more drafts beside the {width} than the tree of {item.tree_rows} rows holds"
    if any(len(per_row) not in (0, rows) for per_row in (item.target_ids, item.margins)):
        return f"fewer or more than {rows} rows listed"
    times = (item.t_s, item.draft_s, item.verify_s, item.accept_s, item.commit_s, item.other_s)
    return _out_of_range(times, (item.turn, item.index, item.target_forwards, item.drafter_forwards))
