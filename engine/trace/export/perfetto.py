"""A trace as Chrome's JSON event format, which ui.perfetto.dev and chrome://tracing open.

A process is an arm, its threads are the phases; flow arrows lead from a draft to its verification. Counters follow
memory and accepted drafts. Times are microseconds. Every turn's clock begins anew in a trace, so later runs are set
behind earlier ones. Phases of a round are laid end to end, backwards from the moment it ended.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from engine.trace.events import Event, Failed, Finished, Header, MemorySample, Prefill, Round, Started
from engine.trace.file import Trace
from engine.trace.of_round import own_s, rows_of

PHASES = {"prefill": 1, "draft": 2, "verify": 3, "accept": 4, "commit": 5}
MACHINE_PID = 1
MIB = 1024**2

Entry = dict[str, Any]


def to_perfetto(trace: Trace) -> str:
    return json.dumps(
        {
            "displayTimeUnit": "ms",
            "otherData": {"schema": trace.header.schema, "created": trace.header.created, "app": trace.header.app},
            "traceEvents": [*entries(trace.events)],
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def entries(events: Iterable[Event]) -> Iterable[Entry]:
    """Events of Chrome's format, metadata first, the rest by time."""
    lanes = _Lanes()
    for event in events:
        lanes.add(event)
    yield from lanes.metadata
    yield from sorted(lanes.entries, key=lambda entry: entry["ts"])


class _Lanes:
    """Lays events on the tracks of their arms; the slices of a track never overlap."""

    def __init__(self) -> None:
        self.metadata: list[Entry] = []
        self.entries: list[Entry] = []
        self._pids: dict[str, int] = {}
        self._busy_until: dict[tuple[int, int], int] = {}
        self._prefill_s: dict[tuple[str, int], float] = {}
        self._offset_s = self._latest_s = 0.0
        self._flows = 0

    def add(self, event: Event) -> None:
        if isinstance(event, Header):
            return
        if isinstance(event, Started) and event.t_s < self._latest_s:
            self._offset_s += self._latest_s
            self._latest_s = 0.0
        self._latest_s = max(self._latest_s, event.t_s)
        end_ns = _ns(self._offset_s + event.t_s)
        match event:
            case MemorySample():
                self._memory(event, end_ns)
            case Started():
                self._pid(event.arm)
            case Prefill():
                key = (event.arm, event.turn)
                spent_s = max(0.0, event.prefill_s - self._prefill_s.get(key, 0.0))
                self._prefill_s[key] = event.prefill_s
                counts = {"processed_tokens": event.processed_tokens, "total_tokens": event.total_tokens}
                self._slice("prefill", event.arm, end_ns - _ns(spent_s), end_ns, {"turn": event.turn, **counts})
            case Round():
                self._round(event, end_ns)
            case Finished():
                self._instant(event.arm, f"finished: {event.reason}", end_ns)
            case Failed():
                self._instant(event.arm, f"failed: {event.message}", end_ns)

    def _pid(self, arm: str) -> int:
        if arm not in self._pids:
            pid = self._pids[arm] = MACHINE_PID + 1 + len(self._pids)
            self._name("process_name", pid, 0, name=arm)
            self._name("process_sort_index", pid, 0, sort_index=pid)
            for phase, tid in PHASES.items():
                self._name("thread_name", pid, tid, name=phase)
                self._name("thread_sort_index", pid, tid, sort_index=tid)
        return self._pids[arm]

    def _name(self, what: str, pid: int, tid: int, **args: Any) -> None:
        self.metadata.append({"ph": "M", "name": what, "pid": pid, "tid": tid, "ts": 0, "args": args})

    def _slice(self, phase: str, arm: str, start_ns: int, end_ns: int, args: Entry, name: str = "") -> bool:
        """One slice of a phase's track, kept clear of the slice before it. False where nothing is left of it."""
        pid, tid = self._pid(arm), PHASES[phase]
        start_ns = max(0, start_ns, self._busy_until.get((pid, tid), 0))
        if end_ns <= start_ns:
            return False
        self._busy_until[pid, tid] = end_ns
        times = {"ts": start_ns / 1000, "dur": (end_ns - start_ns) / 1000}
        self.entries.append(
            {"ph": "X", "cat": phase, "name": name or phase, "pid": pid, "tid": tid, **times, "args": args}
        )
        return True

    def _round(self, item: Round, end_ns: int) -> None:
        at = end_ns - _ns(own_s(item))
        drawn: dict[str, int] = {}
        for phase, spent_s in _phases(item):
            until = at + _ns(spent_s)
            name = "draft + verify" if phase == "verify" and item.width and not item.split else phase
            if self._slice(phase, item.arm, at, until, _args(item, phase), name):
                drawn[phase] = (at + until) // 2
            at = until
        pid = self._pid(item.arm)
        if "draft" in drawn and "verify" in drawn:
            self._flows += 1
            flow = {"cat": "round", "name": "block", "id": self._flows, "pid": pid}
            self.entries.append({"ph": "s", **flow, "tid": PHASES["draft"], "ts": drawn["draft"] / 1000})
            self.entries.append({"ph": "f", "bp": "e", **flow, "tid": PHASES["verify"], "ts": drawn["verify"] / 1000})
        sizes = {"active": item.active_bytes, "allocator": item.allocator_bytes, "kv": item.kv_bytes}
        self._counter("memory_mib", pid, end_ns, {name: round(count / MIB, 3) for name, count in sizes.items()})
        self._counter("accepted_per_round", pid, end_ns, {"accepted": item.origins.count("accepted")})

    def _memory(self, sample: MemorySample, at_ns: int) -> None:
        if not any(entry["pid"] == MACHINE_PID for entry in self.metadata):
            self._name("process_name", MACHINE_PID, 0, name="machine")
            self._name("process_sort_index", MACHINE_PID, 0, sort_index=MACHINE_PID)
        sizes = {
            "process": sample.process_bytes,
            "active": sample.active_bytes,
            "allocator": sample.allocator_bytes,
            "available": sample.available_bytes,
        }
        self._counter("memory_mib", MACHINE_PID, at_ns, {name: round(n / MIB, 3) for name, n in sizes.items()})

    def _counter(self, name: str, pid: int, at_ns: int, values: dict[str, float]) -> None:
        self.entries.append({"ph": "C", "name": name, "pid": pid, "tid": 0, "ts": at_ns / 1000, "args": values})

    def _instant(self, arm: str, name: str, at_ns: int) -> None:
        self.entries.append({"ph": "i", "s": "p", "name": name, "pid": self._pid(arm), "tid": 0, "ts": at_ns / 1000})


def _ns(value_s: float) -> int:
    return round(value_s * 1e9)


def _phases(item: Round) -> list[tuple[str, float]]:
    """In the order in which they happen; what belongs to no phase comes last and leaves a gap."""
    return [("draft", item.draft_s), ("verify", item.verify_s), ("accept", item.accept_s), ("commit", item.commit_s)]


def _args(item: Round, phase: str) -> Entry:
    shared: Entry = {"turn": item.turn, "round": item.index}
    match phase:
        case "draft":
            more = {"source": item.source, "width": item.width, "ids": item.draft_ids, "texts": item.draft_texts}
            return {**shared, **more, "q": item.draft_q}
        case "verify":
            rows = {
                "context_tokens": item.context_tokens,
                "rows": rows_of(item),
                "target_ids": item.target_ids,
            }
            return {**shared, **rows, "p": item.draft_p, "margins": item.margins}
        case "accept":
            return {**shared, "accepted": item.origins.count("accepted"), "origins": item.origins}
    return {**shared, "emitted_tokens": item.emitted_tokens, "emitted_ids": item.emitted_ids, "pieces": item.pieces}
