"""The engine process: JSON lines in, JSON lines out, one thread for MLX.

    main thread     loads, runs, evaluates: everything that touches MLX, for life (MLX's streams belong to one thread)
    reader thread   reads stdin; a Cancel or the end of stdin only sets flags; Ping is answered at once

Cancel takes effect before the next step of any arm. When stdin ends, the window is gone: the engine stops within a
round and ends, or is ended if it can't. Nothing but messages goes to stdout: whatever else prints there lands on
stderr.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, NoReturn

import msgspec

from engine import __version__
from engine.process.launch import command, environment
from engine.process.protocol import (
    Ask,
    Cancel,
    Checked,
    Done,
    Eased,
    Hello,
    Loading,
    Open,
    Opened,
    Ping,
    Pong,
    Quit,
    Refused,
    Reply,
    Unload,
    decode_request,
    encode,
)
from engine.trace.events import Failed, Finished

if TYPE_CHECKING:
    from engine.memory.pressure import PressureWatch

SAMPLE_BUSY_S = 0.25
SAMPLE_IDLE_S = 1.0
LAST_WORD_S = 5.0
READ_BYTES = 1 << 14
"""Little, so that what is left over at an ``Unload`` fits into the environment of the process that follows."""
LEFT_OVER = "SLIPSTREAM_LEFT_OVER"


class Channel:
    """Replies to the window, one line each, from either thread."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._lock = threading.Lock()

    def send(self, reply: Reply) -> None:
        with self._lock:
            self._out.write(encode(reply) + b"\n")
            self._out.flush()


class Inbox(threading.Thread):
    """Reads requests. Work goes to ``work``; what can't wait is done here."""

    def __init__(self, lines: Iterable[bytes], channel: Channel) -> None:
        super().__init__(name="requests", daemon=True)
        self.lines, self.channel = lines, channel
        self.work: queue.Queue[Open | Ask | Unload | Quit] = queue.Queue()
        self.cancelled: set[int] = set()
        self.running = 0
        self.newest = 0
        self.busy_since_s = 0.0
        self.closed = False

    def run(self) -> None:
        for line in self.lines:
            if not line.strip():
                continue
            try:
                request = decode_request(line)
            except msgspec.DecodeError as error:
                self.channel.send(Refused(id=_id_of(line), message=f"This request can't be read: {error}."))
                continue
            self.take(request)
            if isinstance(request, Unload):
                # What follows is for the process that begins after it.
                return
        self.close()

    def take(self, request: Open | Ask | Cancel | Ping | Unload | Quit) -> None:
        if isinstance(request, Ping):
            busy = time.monotonic() - self.busy_since_s if self.busy_since_s else 0.0
            self.channel.send(Pong(id=request.id, busy_s=busy))
        elif isinstance(request, Cancel):
            # What was asked for but not yet begun is meant as well.
            self.cancelled.add(request.id or self.running or self.newest)
        elif isinstance(request, Quit):
            self.close()
        else:
            self.newest = request.id
            self.work.put(request)

    def close(self) -> None:
        """The window is gone or wants an end: stop soon, or be stopped."""
        self.closed = True
        self.work.put(Quit())
        timer = threading.Timer(LAST_WORD_S, os._exit, (0,))
        timer.daemon = True
        timer.start()

    def is_cancelled(self, request_id: int) -> bool:
        return self.closed or request_id in self.cancelled


class Worker:
    """The main thread's part."""

    def __init__(self, inbox: Inbox, channel: Channel, pressure: PressureWatch | None = None) -> None:
        from engine.memory.pressure import PressureWatch
        from engine.session import Session

        self.inbox, self.channel = inbox, channel
        self.session = Session()
        self.pressure = pressure or PressureWatch()
        self.checked: dict[tuple[str, str], tuple[str, str]] = {}
        self.unchecked = 0
        """The ``Open`` whose pairs are still to be tried; 0 none."""
        self.sampled_s = 0.0
        self.began_s = time.perf_counter()

    def serve(self) -> bool:
        """Until the end. True where the process is to begin anew, without its memory."""
        while True:
            if self.unchecked and self.inbox.work.empty():
                self.inbox.busy_since_s = time.monotonic()
                try:
                    self.check_pairs()
                finally:
                    self.inbox.busy_since_s = 0.0
            try:
                request = self.inbox.work.get(timeout=SAMPLE_IDLE_S)
            except queue.Empty:
                self.ease()
                self.sample(SAMPLE_IDLE_S)
                continue
            if isinstance(request, Quit):
                return False
            if isinstance(request, Unload):
                return True
            self.inbox.running = request.id
            self.inbox.busy_since_s = time.monotonic()
            try:
                self.handle(request)
            finally:
                self.inbox.busy_since_s = 0.0
                self.inbox.running = 0
                self.inbox.cancelled.discard(request.id)

    def handle(self, request: Open | Ask) -> None:
        from engine.loader import MemoryRefused, open_arms
        from engine.models.errors import ModelError
        from engine.models.fetch import Stopped
        from engine.race import race
        from engine.trace.file import finite

        if problem := _arms_problem(request):
            self.channel.send(Refused(id=request.id, message=problem))
            return
        try:
            arms = open_arms(self.session, request, self.tell, lambda: self.inbox.is_cancelled(request.id))
        except ModelError as error:
            reason = {MemoryRefused: "memory", Stopped: "stopped"}.get(type(error), "")
            self.channel.send(Refused(id=request.id, message=str(error), arm=error.arm, reason=reason))
            return
        except Exception as error:  # noqa: BLE001
            # A damaged model file can fail in many ways; none may end the engine.
            self.channel.send(
                Refused(id=request.id, message=f"The model can't be loaded: {type(error).__name__}: {error}.")
            )
            return
        if isinstance(request, Open):
            targets = {arm.spec.name: arm.target.facts for arm in arms}
            drafters = {arm.spec.name: arm.drafter_facts for arm in arms if arm.drafter_facts}
            self.channel.send(Opened(id=request.id, targets=targets, drafters=drafters))
            self.sample(0)
            self.unchecked = request.id
            return
        events = race(
            arms,
            request.prompt,
            turn=request.turn,
            system=request.system,
            history=request.history,
            raw=request.raw,
            order="sequential" if request.order == "sequential" else "interleaved",
            cancelled=lambda: self.inbox.is_cancelled(request.id),
            halted=self.pressure.stop_reason,
        )
        busy = {arm.spec.name for arm in arms}
        for event in events:
            if isinstance(event, (Finished, Failed)):
                busy.discard(event.arm)
            self.ease(busy)
            self.inbox.busy_since_s = time.monotonic()
            self.channel.send(finite(event))  # type: ignore[arg-type]
            self.sample(SAMPLE_BUSY_S)
        self.sample(0)
        self.channel.send(Done(id=request.id))

    def tell(self, reply: Reply) -> None:
        """A sign of life from inside a load."""
        self.inbox.busy_since_s = time.monotonic()
        self.channel.send(reply)

    def ease(self, busy: Iterable[str] = ()) -> None:
        """Between two rounds: give memory back while the machine is short of it."""
        if self.pressure.should_ease():
            from engine.memory.pressure import eased_sentence

            freed = self.session.ease(busy)
            if freed:
                self.channel.send(Eased(freed_bytes=freed, message=eased_sentence(freed)))

    def check_pairs(self) -> None:
        """Say of each drafter that reads its target's layers whether they belong together, once a pair. Work that waits
        comes first.
        """
        from engine.drafters.intake import check_pair
        from engine.drafters.load import drafter_models
        from engine.drafters.save import trained_for

        models = self.session.models
        for arm in self.session.arms.values():
            for (name, target), loaded in models.tapped.items():
                if target != arm.spec.target or name not in drafter_models(arm.spec.drafter):
                    continue
                if trained_for(Path(loaded.facts.path)) == arm.target.facts.name:
                    continue  # it states how it is read, and nothing has to be guessed
                if not self.inbox.work.empty():
                    return
                pair = (name, target)
                if pair not in self.checked:
                    self.channel.send(Loading(id=self.unchecked, what=f"{loaded.facts.name}, trying it"))
                    try:
                        report = check_pair(arm.target, loaded.facts.path, loaded=loaded.shared)
                        self.checked[pair] = (report.verdict, report.sentence)
                    except Exception as error:  # noqa: BLE001
                        # A check that fails says nothing of the pair and must not end the engine.
                        traceback.print_exc()
                        self.checked[pair] = ("can't tell", f"The drafter can't be tried: {type(error).__name__}.")
                verdict, message = self.checked[pair]
                self.channel.send(Checked(id=self.unchecked, arm=arm.spec.name, verdict=verdict, message=message))
        self.unchecked = 0

    def sample(self, every_s: float) -> None:
        """A memory sample, where the last one is old enough. Each model and table counts once, however many arms name
        it.
        """
        from engine.drafters.load import tables_of
        from engine.platform import memory_sample

        now = time.perf_counter()
        if now - self.sampled_s < every_s:
            return
        self.sampled_s = now
        arms = list(self.session.arms.values())
        targets = {id(arm.target): arm.target.facts.weights_bytes for arm in arms}
        models = self.session.models
        others = [m.facts.weights_bytes for m in models.targets.values() if id(m) not in targets]
        others += [drafter.facts.weights_bytes for drafter in models.tapped.values()]
        others += {id(table): table.nbytes for arm in arms for table in tables_of(arm.drafter)}.values()
        self.channel.send(
            memory_sample(
                now - self.began_s,
                target_weights_bytes=sum(targets.values()),
                drafter_weights_bytes=sum(others),
                kv_bytes=sum(arm.kv_bytes for arm in arms),
                drafter_state_bytes=sum(arm.drafter.state_bytes for arm in arms if arm.drafter),
            )
        )


def _arms_problem(request: Open | Ask) -> str:
    names = [arm.name for arm in request.arms]
    if not names:
        return "There is no arm to run: add one."
    if len(set(names)) < len(names):
        return f"Two arms have the same name ({', '.join(sorted(names))}): rename one."
    return ""


def _id_of(line: bytes) -> int:
    try:
        return int(msgspec.json.decode(line)["id"])
    except (msgspec.DecodeError, KeyError, TypeError, ValueError):
        return 0


def main() -> int:
    # Anything a library prints must not break the protocol: keep the real stdout, give everyone else stderr.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    channel = Channel(out)
    lines = Lines(sys.stdin.fileno(), bytes.fromhex(os.environ.pop(LEFT_OVER, "")))
    inbox = Inbox(lines, channel)
    from engine.platform import machine

    # Hello comes first: nothing is answered before it, not even what a process before this one had read.
    channel.send(Hello(app=__version__, machine=machine()))
    inbox.start()
    try:
        if Worker(inbox, channel).serve():
            begin_anew(out, lines)
    except BrokenPipeError:
        return 1
    return 0


def begin_anew(out: IO[bytes], lines: Lines) -> NoReturn:
    """This process once more, with its id and its pipes, and none of its memory: nothing gives weights back as surely
    as that. What the reader had read ahead goes along.
    """
    os.dup2(out.fileno(), 1)
    words = command("engine")
    os.execve(words[0], words, {**os.environ, **environment(), LEFT_OVER: lines.rest.hex()})


class Lines:
    """Lines of a pipe; ``rest`` is what was read and not yet handed out."""

    def __init__(self, descriptor: int, rest: bytes = b"") -> None:
        self.descriptor, self.rest = descriptor, rest

    def __iter__(self) -> Iterator[bytes]:
        while True:
            while b"\n" in self.rest:
                line, _, self.rest = self.rest.partition(b"\n")
                yield line
            chunk = os.read(self.descriptor, READ_BYTES)
            if not chunk:
                if self.rest:
                    line, self.rest = self.rest, b""
                    yield line
                return
            self.rest += chunk


def run() -> NoReturn:
    """``main`` as a whole process: it ends with it."""
    code = main()
    sys.stderr.flush()
    # The reader thread may hang in a read; nothing is left to be done for it.
    os._exit(code)


if __name__ == "__main__":
    run()
