"""Does to the engine's own process what a window, a network or a person may do to it: cancel at once and again and
again, give up waiting, send nonsense, end it in the middle, go away.

Everything that happens is written into one trace a check; what is no event of the engine's (a time-out, a death, a
refusal) is written as ``Failed`` of the arm ``engine``, with the sentence that its client was told.
"""

from __future__ import annotations

import itertools
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from engine.lab.cases import REFERENCE_PROMPT
from engine.lab.disturb import Stopped
from engine.lab.disturbances import REFERENCE, Case, labels_of
from engine.lab.measure import Writers
from engine.process.client import EngineClient, EngineDied
from engine.process.protocol import Ask, Cancel, Done, Refused
from engine.trace.events import Arm, Event, Failed, Finished, MemorySample, Prefill, Round, Started

ENGINE = "engine"
PROCESS = {"process": "engine"}
"""Label of what ran in the engine's own process."""
DRAIN_S = 120.0
"""An engine that says nothing for so long hangs: that is a failed check, not a slow one."""
IMPATIENT_S = 0.001
ORPHAN_S = 20.0

TraceEvent = Started | Prefill | Round | Finished | Failed


@dataclass(slots=True)
class ProcessBench:
    """One engine process under test, replaced where a check ends it."""

    client: EngineClient
    arms: tuple[Arm, ...]
    writers: Writers
    stop: Callable[[], bool] = lambda: False
    ids: Iterator[int] = field(default_factory=lambda: itertools.count(1_000))

    def before(self) -> None:
        self._write("engine-reference", 0, self._reference(), {REFERENCE: "before", **PROCESS})

    def check(self, name: str, cases: Sequence[Case], run: Callable[[Case], Iterator[Event]]) -> None:
        """Raises ``Stopped``."""
        for turn, case in enumerate(cases):
            if self.stop():
                raise Stopped
            self._write(name, turn, run(case), {"case": case.name})
        self._write(name, len(cases), self._reference(), {**labels_of(name, cases), **PROCESS})

    # Cases

    def cancel_at_once(self, case: Case) -> Iterator[Event]:
        """The cancel is on its way before the engine has begun; every other time a second one follows it."""
        request = self._ask(case)
        self.client.send(Cancel(id=request))
        if request % 2:
            self.client.send(Cancel(id=request))
        yield from self._drain(request)

    def cancel_in_the_middle(self, case: Case) -> Iterator[Event]:
        request = self._ask(case)
        rounds = 0
        for event in self._drain(request):
            rounds += isinstance(event, Round)
            if rounds == 3 and isinstance(event, Round):
                self.client.send(Cancel(id=request))
            yield event

    def give_up(self, case: Case) -> Iterator[Event]:
        """The client's patience ends before the engine's first word; it cancels and reads what still comes."""
        request = self._ask(case)
        try:
            while True:
                self.client.next_reply(IMPATIENT_S)
        except TimeoutError as error:
            yield _told(str(error))
        self.client.send(Cancel(id=request))
        for _ in self._drain(request):
            pass

    def nonsense(self, case: Case) -> Iterator[Event]:
        """A line that is no request."""
        assert self.client.process.stdin is not None
        self.client.process.stdin.write(case.prompt.encode() + b"\n")
        self.client.process.stdin.flush()
        deadline_s = time.monotonic() + DRAIN_S
        while time.monotonic() < deadline_s:
            reply = self.client.next_reply(DRAIN_S)
            if isinstance(reply, Refused):
                yield _told(reply.message)
                return

    def kill(self, case: Case) -> Iterator[Event]:
        """The process is ended in the middle of an answer; a new one takes its place."""
        request = self._ask(case)
        rounds = 0
        try:
            for event in self._drain(request):
                rounds += isinstance(event, Round)
                if rounds == 2 and isinstance(event, Round):
                    self.client.process.kill()
        except EngineDied as error:
            yield _told(str(error))
        self.client.restart()

    def go_away(self, case: Case) -> Iterator[Event]:
        """The client's end of the pipe closes in the middle of an answer: the engine must end by itself."""
        request = self._ask(case)
        for event in self._drain(request):
            if isinstance(event, Round):
                break
        process = self.client.process
        assert process.stdin is not None
        process.stdin.close()
        try:
            code = process.wait(ORPHAN_S)
            yield _told(f"The engine ended by itself with exit status {code}.")
        except subprocess.TimeoutExpired:
            yield _told(f"The engine still runs {ORPHAN_S:g} s after its client went away.")
            process.kill()
            process.wait()
        self.client.restart()

    # Parts

    def _ask(self, case: Case) -> int:
        request = next(self.ids)
        arms = tuple(replace(arm, settings=replace(arm.settings, **case.settings)) for arm in self.arms)
        self.client.send(Ask(id=request, turn=0, arms=arms, prompt=case.prompt))
        return request

    def _drain(self, request: int) -> Iterator[Event]:
        """Events of one request until it is done. Raises ``EngineDied``, ``TimeoutError``."""
        while True:
            reply = self.client.next_reply(DRAIN_S)
            if isinstance(reply, Done) and reply.id == request:
                return
            if isinstance(reply, Refused) and reply.id == request:
                yield _told(reply.message)
                return
            if isinstance(reply, TraceEvent):
                yield reply

    def _reference(self) -> Iterator[Event]:
        request = next(self.ids)
        self.client.send(Ask(id=request, turn=0, arms=self.arms, prompt=REFERENCE_PROMPT))
        yield from self._drain(request)

    def _write(self, name: str, turn: int, events: Iterator[Event], labels: dict[str, str]) -> None:
        writer = self.writers.of(name)
        try:
            for event in events:
                if isinstance(event, MemorySample):
                    continue
                if isinstance(event, Started):
                    event = replace(event, labels=labels)
                writer.write(replace(event, turn=turn))
        except (EngineDied, TimeoutError) as error:
            # The check fails by what is written here; the next one meets a new engine.
            writer.write(replace(_told(f"Not expected: {error}"), turn=turn))
            self.client.restart()


def _told(sentence: str) -> Failed:
    return Failed(arm=ENGINE, turn=0, t_s=0.0, message=sentence)
