"""Shelves whose every entry is known, and jobs that say what a real one says."""

from __future__ import annotations

import sys
from pathlib import Path

from engine.process.jobs import JobEnded, JobMessage, JobProgress, JobStarted
from engine.process.jobs import encode as encode_job
from engine.process.shelf import Fit, KnownPair, OnDisk, Part, Shelf, Verdict
from engine.process.shelf import encode as encode_shelf

GIB = 1 << 30


def fit(verdict: Verdict = "fits", total_gib: float = 4.0) -> Fit:
    return Fit(
        verdict=verdict,
        total_bytes=round(total_gib * GIB),
        parts=(Part(name="target weights", size_bytes=round(3.5 * GIB)),),
        context_tokens=8192,
        machine_bytes=16 * GIB,
        available_bytes=9 * GIB,
        reserve_bytes=2 * GIB,
        source="files",
    )


WHOLE = OnDisk(
    name="maker/Small-4bit", use="maker/Small-4bit", hub="maker/Small-4bit", path="/hub/small", place="hub",
    kind="model", size_bytes=2_300_000_000, architecture="qwen3", bits=4, licence="Apache-2.0", removable=True,
    fit=fit(),
)  # fmt: skip
FULL = OnDisk(
    name="Full", use="/models/Full", path="/models/Full", place="folder", kind="model", size_bytes=9_000_000_000,
    architecture="llama", fit=fit("too large", 20.0),
)  # fmt: skip
PARTLY = OnDisk(
    name="maker/Drafter", use="maker/Drafter", hub="maker/Drafter", path="/hub/drafter", place="hub", kind="drafter",
    scheme="B", state="incomplete", message="There is no trace /hub/drafter: check the name.", removable=True,
)  # fmt: skip
READY = OnDisk(
    name="maker/Ready", use="maker/Ready", hub="maker/Ready", path="/hub/ready", place="hub", kind="drafter",
    scheme="D", bits=4, size_bytes=500_000_000,
)  # fmt: skip
HALF = KnownPair(
    target="Small", drafter="maker/Drafter", scheme="B", block=16, target_use="maker/Small-4bit",
    drafter_hub="maker/Drafter", drafter_bytes=900_000_000, missing=("drafter",), pull=("maker/Drafter",), fit=fit(),
)  # fmt: skip
BOTH = KnownPair(
    target="Small", drafter="maker/Ready", scheme="D", target_use="maker/Small-4bit", drafter_use="maker/Ready",
    target_licence="Apache-2.0", drafter_licence="MIT",
)  # fmt: skip
NEITHER = KnownPair(target="Huge", drafter="maker/HugeDrafter", scheme="D", missing=("target", "drafter"), fit=Fit())
SHELF = Shelf(
    models=(WHOLE, FULL, PARTLY, READY),
    pairs=(HALF, BOTH, NEITHER),
    folders=("/hub",),
    endpoint="https://hub.example",
    machine_bytes=16 * GIB,
    available_bytes=9 * GIB,
    reserve_bytes=2 * GIB,
    disk_free_bytes=212_000_000_000,
)


def says(text: bytes, wait_s: float = 0.0, status: int = 0) -> list[str]:
    """A process that prints this and ends; a request to stop ends it as a job does."""
    code = (
        "import signal, sys, time\n"
        "def stop(*_):\n"
        f"    sys.stdout.buffer.write({encode_job(STOPPED)!r} + b'\\n'); sys.stdout.flush(); sys.exit(130)\n"
        "signal.signal(signal.SIGTERM, stop)\n"
        f"sys.stdout.buffer.write({text!r}); sys.stdout.flush(); time.sleep({wait_s}); sys.exit({status})\n"
    )
    return [sys.executable, "-c", code]


def lines(*messages: JobMessage) -> bytes:
    return b"".join(encode_job(message) + b"\n" for message in messages)


STOPPED = JobEnded(status="stopped", message="Stopped; what was fetched is kept.")
DONE = JobEnded(status="done", files=("/hub/drafter",))
BEGUN = (
    JobStarted(job="models pull", stages=("maker/Drafter",)),
    JobProgress(
        stage="maker/Drafter", done=3e8, total=9e8, unit="bytes", per_s=2e7, seconds_left=30.0, note="model.safetensors"
    ),
)


def shelf_process(*_: str) -> list[str]:
    return says(encode_shelf(SHELF))


def note_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n") if path.exists() else []
