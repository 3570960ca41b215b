"""A scripted long job: a process that speaks ``engine.process.jobs``, with numbers that are known, and can misbehave.

    python -m tests.fake_jobs [--mode MODE] [--after N] [--pause-s S] -- lab all --out DIR ... --progress json

It reads the words that the window writes as the command line itself would, so that a word the window invents fails. No
model and no MLX.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.arms import parse_arms
from engine.lab.result import Environment, LabResult, Status, write_result
from engine.process.jobs import JobCell, JobEnded, JobMessage, JobPoint, JobProgress, JobStarted, encode
from engine.trace.events import Arm, Header, Settings
from engine.trace.file import SUFFIX
from engine.trace.file import encode as encode_event
from tests.fakes import MACHINE, TARGET, run_events

LABS = ("lossless", "sampling", "profile", "sweep", "attribution", "concurrency", "stability")
TRAIN_STAGES = ("text", "taps", "train", "evaluate", "save")
STEPS = 10
"""Of every stage."""


class Stop:
    def __init__(self) -> None:
        self.asked = False

    def ask(self, *_: object) -> None:
        self.asked = True


def write_trace(file: Path, arms: Sequence[Arm], tokens: int = 48) -> str:
    header = Header(created="2026-01-02T03:04:05+00:00", app="scripted", machine=MACHINE)
    events = [header, *(event for arm in arms for event in run_events(arm, 0, "Why is the sky blue?", tokens))]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"".join(encode_event(event) + b"\n" for event in events))
    return str(file)


def lab(words: argparse.Namespace, stop: Stop) -> Iterator[JobMessage]:
    out = Path(words.out)
    out.mkdir(parents=True, exist_ok=True)
    labs = tuple(name for name in LABS if words.lab in ("all", name) and name in (words.only or ",".join(LABS)))
    arms = parse_arms(words.arm or ["baseline", "lookup"], Settings())
    yield JobStarted(job=f"lab {words.lab}", stages=labs, out=str(out))
    for place, name in enumerate(labs):
        if (out / f"{name}.json").is_file() and '"stopped"' not in (out / f"{name}.json").read_text(encoding="utf-8"):
            continue
        trace = write_trace(out / "traces" / f"{name}{SUFFIX}", arms)
        for step in range(1, STEPS + 1):
            if stop.asked:
                save_result(out, name, "stopped", arms)
                yield JobEnded(status="stopped", message=f"Stopped in {name}; what was measured before it is kept.")
                return
            left = (len(labs) - place) * STEPS - step
            yield JobProgress(stage=name, done=step, total=STEPS, unit="prompts", per_s=2.0, note=f"prompt {step}")
            yield JobProgress(
                stage=name, done=place * STEPS + step, total=len(labs) * STEPS, whole=True, seconds_left=left * 30.0
            )
            yield from measured(name, step, arms, trace)
        save_result(out, name, {"lossless": "near-tie", "sampling": "pass"}.get(name, "measured"), arms)
    report = out / "report.html"
    report.write_text("<!doctype html><title>Scripted report</title><p>Use it.</p>", encoding="utf-8")
    yield JobEnded(status="done", files=(str(report), str(out)))


def measured(name: str, step: int, arms: Sequence[Arm], trace: str) -> Iterator[JobMessage]:
    drafting = [arm.name for arm in arms if arm.drafter != "none"]
    if name == "lossless":
        for row in drafting if step == 1 else ():
            for column, text in (("greedy", "PASS"), ("float32", "PASS"), ("prefix cache off", "NEAR-TIE")):
                yield JobCell(table="lossless", row=row, column=column, text=text, traces=(trace,))
        if step == STEPS:
            for row in ("rollback off by one", "stale rows", "rope shifted by one"):
                yield JobCell(table="controls", row=row, column="caught", text="FAIL")
    elif name == "sampling" and step == 1:
        for row in drafting:
            yield JobCell(table="sampling", row=row, column="tokens 1", value=0.012, low=0.004, high=0.021, text="")
            yield JobCell(table="sampling", row=row, column="verdict", text="PASS")
    elif name == "profile" and step <= 7:
        for place, row in enumerate(drafting):
            yield JobPoint(
                series=row, x=step, y=0.9 - 0.05 * step - 0.1 * place, low=0.85 - 0.05 * step - 0.1 * place,
                high=0.95 - 0.05 * step - 0.1 * place, x_name="position", y_name="conditional acceptance",
            )  # fmt: skip
    elif name == "sweep" and step <= 6:
        block = 2 * step
        for place, row in enumerate(drafting):
            value = 1 + 0.32 * step - 0.035 * step * step - 0.2 * place
            text = "void: repeats itself" if step == 6 else ""
            yield JobCell(
                table="sweep · speed over baseline", row=row, column=f"block {block}", text=text,
                value=None if text else value, low=None if text else value - 0.08, high=None if text else value + 0.09,
                traces=(trace,),
            )  # fmt: skip
            yield JobPoint(
                series=f"speed · {row}", x=block, y=value, low=value - 0.08, high=value + 0.09,
                x_name="block length", y_name="speed over baseline",
            )  # fmt: skip
    elif name == "concurrency" and step <= 5:
        for row in ("baseline", *drafting[:1]):
            yield JobPoint(
                series=row, x=2.0 ** (step - 1), y=30.0 * step ** (0.7 if row == "baseline" else 0.5),
                x_name="requests in flight", y_name="tokens per second",
            )  # fmt: skip


def save_result(out: Path, name: str, status: Status, arms: Sequence[Arm]) -> None:
    result = LabResult(
        lab=name, status=status, environment=Environment(machine=MACHINE, app="scripted"), arms=tuple(arms),
        conditions={"plan": "quick"}, results={}, seconds=61.5, began="2026-01-02T03:04:05+00:00",
    )  # fmt: skip
    write_result(out, result)


def train(words: argparse.Namespace, stop: Stop) -> Iterator[JobMessage]:
    out = Path(words.out)
    yield JobStarted(job=f"train {words.scheme}", stages=TRAIN_STAGES, out=str(out))
    for stage in TRAIN_STAGES:
        if stage == "train":
            state = out.with_name(f"{out.name}.training") / "run" / "state.safetensors"
            state.parent.mkdir(parents=True, exist_ok=True)
            state.write_bytes(b"")
        for step in range(1, STEPS + 1):
            yield JobProgress(stage=stage, done=step, total=STEPS, seconds_left=(STEPS - step) * 20.0)
            if stage == "train":
                at = step * 100
                yield JobPoint(series="training loss", x=at, y=6.0 / step**0.4, x_name="steps")
                if step % 2 == 0:
                    yield JobPoint(
                        series="held-out tokens per forward", x=at, y=1.0 + 0.3 * step**0.5, low=0.9 + 0.3 * step**0.5,
                        high=1.1 + 0.3 * step**0.5, x_name="steps",
                    )  # fmt: skip
            if stop.asked and stage in ("text", "taps"):
                message = "Stopped before there was a drafter to keep. Give the same command again to go on."
                yield JobEnded(status="stopped", message=message)
                return
            if stop.asked:
                write_drafter(out, words)
                score = "1.95 tokens per target forward [1.85 .. 2.05] on 25 held-out answers."
                message = f"Stopped after step {STEPS * 100}; the best drafter so far is kept. {score}"
                yield JobEnded(status="stopped", message=message, files=(str(out),))
                return
    write_drafter(out, words)
    yield JobEnded(status="done", files=(str(out),))


def write_drafter(out: Path, words: argparse.Namespace) -> None:
    out.mkdir(parents=True, exist_ok=True)
    about = {"target": TARGET.name, "scheme": words.scheme}
    config = (
        {"slipstream_table": 1, "target": TARGET.name}
        if words.scheme == "table"
        else {"slipstream_drafter": 1, "layout": {"scheme": words.scheme}, "about": about}
    )
    (out / "config.json").write_text(json.dumps(config), encoding="utf-8")


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="slipstream")
    commands = top.add_subparsers(dest="command", required=True)
    labs = commands.add_parser("lab")
    labs.add_argument("lab", choices=(*LABS, "all"))
    labs.add_argument("--arm", action="append")
    labs.add_argument("--only", default="")
    labs.add_argument("--language", choices=("en", "zh"), default="en")
    labs.add_argument("--plan", choices=("quick", "full"), default="quick")
    labs.add_argument("--out", required=True)
    trains = commands.add_parser("train")
    trains.add_argument("--scheme", choices=("A", "B", "C", "D", "E", "table"), required=True)
    trains.add_argument("--target", required=True)
    trains.add_argument("--out", required=True)
    trains.add_argument("--hours", type=float, required=True)
    trains.add_argument("--prompts")
    for command in (labs, trains):
        command.add_argument("--progress", choices=("json",), required=True)
    return top


def misbehave(mode: str) -> None:
    if mode == "crash":
        os.abort()
    elif mode == "exit":
        sys.stderr.write("MemoryError: no room for the taps\n")
        os._exit(3)
    elif mode == "garbage":
        sys.stdout.buffer.write(b"a library prints\n\xff\xfe\n" + b"x" * (3 << 20) + b"\n" + b'{"type":"job-cell"}\n')
        sys.stdout.buffer.flush()
    elif mode == "hang":
        time.sleep(3600)


def main(argv: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--mode", default="", choices=("", "crash", "exit", "garbage", "hang", "deaf", "refuse"))
    options.add_argument("--after", type=int, default=12, help="messages before it misbehaves")
    options.add_argument("--pause-s", type=float, default=0.0, help="after every message")
    options.add_argument("--wait-in", default="", help="a stage in which it waits until it is stopped")
    options.add_argument("words", nargs=argparse.REMAINDER)
    own = options.parse_args(argv)
    stop = Stop()
    signal.signal(signal.SIGTERM, signal.SIG_IGN if own.mode in ("deaf", "hang") else stop.ask)
    words = parser().parse_args(own.words[1:] if own.words[:1] == ["--"] else own.words)
    if own.mode == "refuse":
        sys.stderr.write("slipstream lab: There is no model at /nowhere: choose another folder.\n")
        return 2
    status = 0
    for number, message in enumerate((lab if words.command == "lab" else train)(words, stop), start=1):
        sys.stdout.buffer.write(encode(message) + b"\n")
        sys.stdout.buffer.flush()
        if isinstance(message, JobEnded):
            status = {"done": 0, "stopped": 130, "failed": 1}[message.status]
        if number == own.after:
            misbehave(own.mode)
        while isinstance(message, JobProgress) and message.stage == own.wait_in and not stop.asked:
            time.sleep(0.02)
        if own.pause_s:
            time.sleep(own.pause_s)
    return status


if __name__ == "__main__":
    sys.exit(main())
