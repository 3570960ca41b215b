"""A client of the engine process, without Qt and without MLX: for scripts, tests and other programs.

    with EngineClient() as engine:
        for event in engine.ask(prompt="...", arms=[Arm(name="baseline"), Arm(name="lookup", drafter="lookup")]):
            ...

The window speaks the same protocol through Qt's own process class.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import subprocess
import threading
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Self

import msgspec

from engine.process.launch import command, environment
from engine.process.protocol import (
    PROTOCOL,
    Ask,
    Cancel,
    Done,
    Hello,
    Loading,
    Open,
    Opened,
    Ping,
    Pong,
    Quit,
    Refused,
    Reply,
    Request,
    Unload,
    decode_reply,
    encode,
)
from engine.trace.events import Arm

START_S = 60.0
QUIT_S = 10.0


class EngineDied(RuntimeError):
    """The engine process ended by itself. One sentence."""


class RequestRefused(RuntimeError):
    """The engine can't do what was asked. One sentence."""


def engine_command() -> list[str]:
    """How the engine is started from this interpreter or bundle."""
    return command("engine")


class EngineClient:
    """One engine process. ``restart`` replaces it after a crash; the conversation is the caller's and survives."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self.command = list(command or engine_command())
        self._ids = itertools.count(1)
        self.restart()

    def restart(self) -> None:
        """Start a fresh engine and wait for its ``Hello``. Raises ``EngineDied``."""
        if hasattr(self, "process"):
            self.close()
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **environment()}
        )
        self._replies: queue.Queue[Reply | None] = queue.Queue()
        threading.Thread(target=self._pump, args=(self.process, self._replies), daemon=True).start()
        hello = self.next_reply(timeout_s=START_S)
        if not isinstance(hello, Hello):
            raise EngineDied(
                f"The engine began with {type(hello).__name__} instead of Hello: another version is installed."
            )
        if hello.protocol != PROTOCOL:
            raise EngineDied(f"The engine speaks protocol {hello.protocol}, this client {PROTOCOL}: update both.")
        self.hello = hello

    @staticmethod
    def _pump(process: subprocess.Popen[bytes], replies: queue.Queue[Reply | None]) -> None:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                replies.put(decode_reply(line))
        except msgspec.DecodeError:
            # Whatever speaks there is no engine of this version: with it, nothing more can be understood.
            process.kill()
        finally:
            replies.put(None)

    def send(self, request: Request) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(encode(request) + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise self._died() from error

    def next_reply(self, timeout_s: float | None = None) -> Reply:
        """Raises ``EngineDied`` at its end, ``TimeoutError`` where it says nothing for so long."""
        try:
            reply = self._replies.get(timeout=timeout_s)
        except queue.Empty as error:
            raise TimeoutError(f"The engine said nothing for {timeout_s:g} s.") from error
        if reply is None:
            self._replies.put(None)
            raise self._died()
        return reply

    def _died(self) -> EngineDied:
        code = self.process.wait()
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        return EngineDied(
            f"The engine ended unexpectedly ({how}): what it wrote is kept; start it again and ask once more."
        )

    def open(self, arms: Sequence[Arm]) -> Opened:
        request = Open(id=next(self._ids), arms=tuple(arms))
        self.send(request)
        for reply in self._until(request.id):
            if isinstance(reply, Opened):
                return reply
        raise AssertionError("unreachable")

    def unload(self) -> None:
        """Give all of the engine's memory back. It is ready again when this returns."""
        request = Unload(id=next(self._ids))
        self.send(request)
        while not isinstance(reply := self.next_reply(timeout_s=START_S), Hello):
            pass
        self.hello = reply

    def ask(self, prompt: str, arms: Sequence[Arm], **more: Any) -> Iterator[Reply]:
        """Trace events of one prompt. ``more``: the other fields of ``Ask``. Raises ``RequestRefused``, ``EngineDied``.

        A caller that stops half-way cancels the request.
        """
        request = Ask(id=next(self._ids), turn=more.pop("turn", 0), arms=tuple(arms), prompt=prompt, **more)
        self.send(request)
        replies = self._until(request.id)
        try:
            for reply in replies:
                if not isinstance(reply, (Loading, Pong, Done)):
                    yield reply
        except GeneratorExit:
            self.send(Cancel(id=request.id))
            for _ in replies:
                pass
            raise

    def _until(self, request_id: int) -> Iterator[Reply]:
        while True:
            reply = self.next_reply()
            if isinstance(reply, Refused) and reply.id == request_id:
                raise RequestRefused(reply.message)
            yield reply
            if isinstance(reply, (Done, Opened)) and reply.id == request_id:
                return

    def cancel(self) -> None:
        self.send(Cancel())

    def ping(self) -> None:
        self.send(Ping(id=next(self._ids)))

    def close(self) -> None:
        """Ask the engine to end; end it where it doesn't."""
        if self.process.poll() is None:
            try:
                self.send(Quit())
                self.process.wait(QUIT_S)
            except (EngineDied, subprocess.TimeoutExpired):
                self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                # A request that a dead engine never took is still in the buffer.
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
