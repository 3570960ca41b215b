"""A scripted engine: rounds whose every number is known, and a process that speaks the protocol with them.

No model and no MLX. ``scripted_rounds`` is pure: the same arguments give the same rounds. ``python -m tests.fakes``
is an engine process for the window's tests: it reads requests on stdin, answers on stdout, and can be told to
misbehave.
"""

from __future__ import annotations

import argparse
import os
import queue
import random
import sys
import threading
import time
from collections.abc import Iterator, Sequence

from engine.process.protocol import (
    Ask,
    Cancel,
    Checked,
    Done,
    Eased,
    Estimate,
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
from engine.process.shelf import Fit
from engine.trace.events import (
    Arm,
    Failed,
    Finished,
    Machine,
    MemorySample,
    ModelFacts,
    Origin,
    Prefill,
    Round,
    Settings,
    Started,
)
from engine.trace.word import parts

ANSWER = (
    "The sky is blue because of a process called Rayleigh scattering, which occurs when light from the sun meets "
    "molecules in the atmosphere. Sunlight holds every colour, and the shorter waves, blue and violet, are "
    "scattered far more strongly than the long red ones.\n\n"
    "Our eyes are more sensitive to blue than to violet, and the upper air absorbs part of the violet, so the "
    "whole sky looks blue. At sunset the light crosses a longer path of air, most of the blue is gone before it "
    "arrives, and what is left is orange and red."
)
MACHINE = Machine(chip="Scripted", memory_bytes=16 << 30, os="test", backend="cpu", cores=2)
TARGET = ModelFacts(
    name="SmolLM2 135M", architecture="llama", bits=4, held_as="packed", weights_bytes=800 << 20, context_tokens=8192
)
NEW_BYTES = {"memory": 12 << 30, "tight": 8 << 30}
"""What a load takes in the modes that say it is much."""
CRITICAL = (
    "This machine is almost out of memory (0.3 GB free): the answer was stopped and its text is kept. Close other "
    "programs, or choose a smaller model."
)
EASED = "Memory is short on this machine: caches of 0.40 GB were given back. The next turn may take longer to begin."
VERIFY_S, DRAFT_S, OTHER_S = 0.020, 0.002, 0.0005


def tokens_of(text: str) -> list[str]:
    """Word pieces that join to the text again, as a tokenizer would give them."""
    pieces: list[str] = []
    for part in text.replace("\n", " \n").split(" "):
        lead = "" if not pieces or part.startswith("\n") else " "
        word = lead + part
        pieces += [word[:6], word[6:]] if len(word) > 9 else [word]
    return [piece for piece in pieces if piece]


def answer_tokens(count: int, text: str = ANSWER) -> list[str]:
    """The first ``count`` tokens of the text, which is told again and again."""
    once = tokens_of(text)
    again = [*tokens_of("\n\n" + text)]
    tokens = list(once)
    while len(tokens) < count:
        tokens += again
    return tokens[:count]


def token_id(piece: str) -> int:
    return sum((place + 1) * ord(letter) for place, letter in enumerate(piece)) % 49152


def pattern(seed: int) -> Iterator[int]:
    """How many drafts each round keeps: fixed by the seed, anything from none to all of seven."""
    source = random.Random(seed)
    while True:
        yield source.choice((0, 0, 1, 2, 2, 3, 4, 7))


def scripted_rounds(
    arm: str,
    tokens: Sequence[str],
    block: int = 8,
    turn: int = 0,
    seed: int = 1,
    margin: float = 3.0,
    start_tokens: int = 20,
    source: str = "lookup",
) -> Iterator[Round]:
    """Rounds that emit exactly these tokens. ``block`` 0 is a baseline: one token a round, no drafts."""
    ids = [token_id(piece) for piece in tokens]
    widest = max(0, block - 1)
    keep = pattern(seed)
    place, index, t_s = 0, 0, 0.0
    while place < len(tokens):
        left = len(tokens) - place
        width = 0 if index == 0 or not widest or index % 11 == 10 else min(widest, left - 1)
        kept = min(next(keep), width)
        emitted = kept + 1
        drafts = [*ids[place : place + kept], *((ids[place + j] + 1) % 49152 for j in range(kept, width))]
        own: Origin = "plain" if width == 0 else "bonus" if kept == width else "correction"
        rows = [ids[min(place + j, len(ids) - 1)] for j in range(width + 1)]
        t_s += VERIFY_S + (DRAFT_S if width else 0.0) + OTHER_S
        yield Round(
            arm=arm,
            turn=turn,
            index=index,
            t_s=t_s,
            context_tokens=start_tokens + place,
            requested_width=widest,
            width=width,
            width_reason="no match" if width < widest else "",
            source=source if width else "",
            draft_ids=tuple(drafts),
            draft_q=(1.0,) * width,
            draft_p=tuple(round(0.95 - 0.06 * j if j < kept else 0.12, 3) for j in range(width)),
            target_ids=tuple(rows),
            margins=(margin,) * (width + 1),
            accepted=kept,
            emitted_ids=tuple(ids[place : place + emitted]),
            emitted_tokens=emitted,
            origins=(*(("accepted",) * kept), own),
            pieces=tuple(tokens[place : place + emitted]),
            draft_texts=tuple(tokens[place : place + kept]) + (" other",) * (width - kept),
            target_texts=tuple(tokens[min(place + j, len(tokens) - 1)] for j in range(width + 1)),
            draft_s=DRAFT_S if width else 0.0,
            verify_s=VERIFY_S,
            other_s=OTHER_S,
            active_bytes=(900 << 20) + place * 20000,
            allocator_bytes=200 << 20,
            peak_bytes=(1100 << 20) + place * 20000,
            kv_bytes=place * 20000,
        )
        place += emitted
        index += 1


def many_rounds(arm: str, count: int, block: int = 8, turn: int = 0, seed: int = 1) -> list[Round]:
    """Exactly this many rounds, for benchmarks of views."""
    rounds = []
    for item in scripted_rounds(arm, answer_tokens(count * max(1, block)), block, turn, seed):
        rounds.append(item)
        if len(rounds) == count:
            break
    return rounds


def started(arm: Arm, turn: int, prompt: str, system: str = "", t_s: float = 0.0) -> Started:
    drafting = arm.drafter != "none"
    facts = drafter_facts(arm)
    return Started(
        arm=arm.name,
        turn=turn,
        t_s=t_s,
        spec=arm,
        target=TARGET,
        drafter=facts,
        system=system,
        prompt=prompt,
        prompt_ids=tuple(token_id(piece) for piece in tokens_of(prompt)),
        prompt_tokens=len(tokens_of(prompt)),
        columns=arm.settings.block - 1 if drafting else 0,
    )


def drafter_facts(arm: Arm) -> ModelFacts | None:
    """A folder's last name is its architecture; look-up has nothing to load."""
    name = parts(arm.drafter)[-1]
    return None if name in ("none", "lookup") else ModelFacts(name=name, architecture=name.rpartition("/")[2])


def run_events(arm: Arm, turn: int, prompt: str, count: int, system: str = "", text: str = ANSWER) -> list[Reply]:
    """Everything one arm says for one prompt."""
    first = started(arm, turn, prompt, system)
    block = arm.settings.block if arm.drafter != "none" else 0
    facts = drafter_facts(arm)
    source = facts.architecture if facts else "lookup"
    tokens = answer_tokens(count, text)
    rounds = list(scripted_rounds(arm.name, tokens, block, turn, arm.settings.seed + 1, source=source))
    total = first.prompt_tokens
    prefill = Prefill(arm=arm.name, turn=turn, t_s=0.01, processed_tokens=total, total_tokens=total, prefill_s=0.01)
    end_s = rounds[-1].t_s if rounds else 0.02
    finished = Finished(
        arm=arm.name,
        turn=turn,
        t_s=end_s,
        reason="length",
        output_tokens=count,
        time_to_first_token_s=0.01 + VERIFY_S,
        own_s=end_s,
    )
    return [first, prefill, *rounds, finished]


def memory_sample(t_s: float) -> MemorySample:
    return MemorySample(
        t_s=t_s,
        machine_bytes=16 << 30,
        available_bytes=9 << 30,
        process_bytes=1500 << 20,
        active_bytes=1100 << 20,
        allocator_bytes=200 << 20,
        peak_bytes=1300 << 20,
        target_weights_bytes=800 << 20,
        drafter_weights_bytes=250 << 20,
        kv_bytes=50 << 20,
    )


def empty_sample(t_s: float) -> MemorySample:
    """Of an engine without models."""
    return MemorySample(
        t_s=t_s,
        machine_bytes=16 << 30,
        available_bytes=10 << 30,
        process_bytes=100 << 20,
        active_bytes=0,
        allocator_bytes=0,
        peak_bytes=0,
    )


class ScriptedEngine:
    """The process: one thread reads requests, the main thread answers."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._requests: queue.Queue[Open | Ask | Unload | Quit] = queue.Queue()
        self._cancelled = threading.Event()
        self._silent = threading.Event()
        self._lock = threading.Lock()
        self._opened: tuple[Arm, ...] = ()

    def say(self, reply: Reply) -> None:
        with self._lock:
            sys.stdout.buffer.write(encode(reply) + b"\n")
            sys.stdout.buffer.flush()

    def read(self) -> None:
        for line in sys.stdin.buffer:
            request = decode_request(line)
            if isinstance(request, Ping):
                if not self._silent.is_set():
                    self.say(Pong(id=request.id, busy_s=0.0))
            elif isinstance(request, Cancel):
                self._cancelled.set()
            else:
                self._requests.put(request)
        self._requests.put(Quit())

    def serve(self) -> None:
        print("scripted engine begins", file=sys.stderr, flush=True)
        if self._options.mode == "no-start":
            os._exit(3)
        threading.Thread(target=self.read, daemon=True).start()
        self.say(Hello(app="scripted", machine=MACHINE))
        while True:
            request = self._requests.get()
            if isinstance(request, Quit):
                return
            if isinstance(request, Unload):
                # The same process under the same id begins anew.
                self._opened = ()
                self.say(Hello(app="scripted", machine=MACHINE))
                self.say(empty_sample(0.0))
            elif isinstance(request, Open):
                self.open(request)
            else:
                self.answer(request)

    def open(self, request: Open) -> None:
        """A drafter whose folder is called ``missing`` can't be opened; ``--verdict`` is found of the others."""
        if self.too_large(request):
            return
        time.sleep(self._options.load_s)
        self.say(Loading(id=request.id, what="SmolLM2 135M", done=1, total=2, unit="files"))
        for arm in request.arms:
            if arm.drafter.endswith("missing"):
                self.say(Refused(id=request.id, message=f"There is no model at {arm.drafter}.", arm=arm.name))
                return
        found = {arm.name: facts for arm in request.arms if (facts := drafter_facts(arm))}
        time.sleep(self._options.load_s)
        self._opened = request.arms
        self.say(Opened(id=request.id, targets={arm.name: TARGET for arm in request.arms}, drafters=found))
        for name in found if self._options.verdict else ():
            self.say(Checked(id=request.id, arm=name, verdict=self._options.verdict, message="What was found of it."))

    def too_large(self, request: Open | Ask) -> bool:
        """Says what is to be loaded. In ``memory`` mode nothing is loaded before it is asked for ``anyway``."""
        if request.arms == self._opened:
            return False
        mode, free = self._options.mode, 9 << 30
        new_bytes = NEW_BYTES.get(mode, 1 << 30)
        verdict = "tight" if new_bytes > free - request.reserve_bytes else "fits"
        fit = Fit(
            verdict=verdict,
            total_bytes=new_bytes,
            machine_bytes=16 << 30,
            available_bytes=free,
            reserve_bytes=request.reserve_bytes,
        )
        self.say(Estimate(id=request.id, fit=fit, new_bytes=new_bytes))
        if new_bytes < free or request.anyway:
            return False
        message = (
            f"Loading takes {new_bytes / 2**30:.1f} GB more, but this machine has {free / 2**30:.1f} GB free: close "
            "other programs, choose a smaller model or a shorter context, or load it anyway."
        )
        self.say(Refused(id=request.id, message=message, reason="memory"))
        return True

    def answer(self, ask: Ask) -> None:
        self._cancelled.clear()
        if self.too_large(ask):
            return
        if self._options.record:
            with open(self._options.record, "ab") as file:
                file.write(encode(ask) + b"\n")
        if self._options.mode == "refuse":
            self.say(
                Refused(
                    id=ask.id,
                    message="The drafter has another vocabulary: choose one made for this target.",
                    arm=ask.arms[-1].name,
                )
            )
            return
        if self._opened != ask.arms:
            self.say(Loading(id=ask.id, what="SmolLM2 135M"))
            self._opened = ask.arms
        scripts = [run_events(arm, ask.turn, ask.prompt, self.length(arm.settings), ask.system) for arm in ask.arms]
        pause_s = 1.0 / self._options.speed if self._options.speed else 0.0
        sent = 0
        self.say(memory_sample(0.0))
        cursor = [0] * len(scripts)
        halted = self._options.mode == "critical"
        while any(at < len(script) for at, script in zip(cursor, scripts, strict=True)):
            for number, script in enumerate(scripts):
                if cursor[number] >= len(script):
                    continue
                event = script[cursor[number]]
                if self._cancelled.is_set() and isinstance(event, Round):
                    event = Finished(
                        arm=event.arm, turn=event.turn, t_s=event.t_s, reason="cancelled", output_tokens=event.index
                    )
                    cursor[number] = len(script)
                elif halted and sent >= self._options.after and isinstance(event, Round):
                    event = Failed(arm=event.arm, turn=event.turn, t_s=event.t_s, message=CRITICAL)
                    cursor[number] = len(script)
                self.say(event)
                cursor[number] += 1
                if isinstance(event, Round):
                    sent += 1
                    self.misbehave(sent)
                    if sent % 50 == 0:
                        self.say(memory_sample(event.t_s))
                    if pause_s:
                        time.sleep(pause_s)
        self.say(Done(id=ask.id))

    def length(self, settings: Settings) -> int:
        return settings.max_tokens if settings.max_tokens >= 0 else 200

    def misbehave(self, sent: int) -> None:
        if sent != self._options.after:
            return
        if self._options.mode == "crash":
            os.abort()
        elif self._options.mode == "exit":
            os._exit(7)
        elif self._options.mode == "eased":
            self.say(Eased(freed_bytes=round(0.4 * 2**30), message=EASED))
        elif self._options.mode == "garbage":
            sys.stdout.buffer.write(
                b'Segmentation fault? no: a library that prints to stdout\n\xff\xfe\n{"type":"round"}\n'
            )
            sys.stdout.buffer.flush()
        elif self._options.mode == "hang":
            self._silent.set()
            time.sleep(3600)


MODES = (
    "",
    "crash",
    "exit",
    "hang",
    "garbage",
    "refuse",
    "no-start",
    "memory",
    "tight",
    "eased",
    "critical",
)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="", choices=MODES)
    parser.add_argument("--load-s", type=float, default=0.0, help="seconds before and after a load says how far it is")
    parser.add_argument("--after", type=int, default=20, help="rounds before it misbehaves")
    parser.add_argument("--speed", type=float, default=0.0, help="rounds a second; 0 as fast as it can")
    parser.add_argument("--verdict", default="", help="of the check whether drafter and target belong together")
    parser.add_argument("--record", default="", help="append every Ask to this file")
    ScriptedEngine(parser.parse_args(argv)).serve()


if __name__ == "__main__":
    main()
