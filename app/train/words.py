"""The words of the command line that a training plan stands for. Pure functions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from app.chat.wording import target_title

SCHEMES = ("B", "A", "C", "D", "E", "table")
"""As offered; the first is the one to begin with."""
LEAST_HOURS, USUAL_HOURS, MOST_HOURS = 0.1, 2.0, 240.0
WEIGHTS = {"text": 4.0, "taps": 1.0, "train": 12.0, "evaluate": 1.0, "save": 0.2}
"""How long the stages take, one against another."""
LOSS = "training loss"
HELD_OUT = "held-out tokens per forward"


@dataclass(frozen=True, slots=True)
class TrainPlan:
    scheme: str
    target: str
    out: str
    hours: float
    prompts: str = ""
    """File with the user's own prompts; empty: the model writes its own text."""

    @property
    def work(self) -> Path:
        """Where the command keeps what goes on: text, taps, checkpoints."""
        return work_of(Path(self.out))

    @property
    def words(self) -> list[str]:
        own = ["--prompts", self.prompts] if self.prompts else []
        return [
            "train", "--scheme", self.scheme, "--target", self.target, "--out", self.out,
            "--hours", f"{self.hours:g}", *own,
        ]  # fmt: skip


def work_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.training")


def free_folder(base: Path, target: str, scheme: str) -> Path:
    """``SmolLM2-135M-B``, with a number behind it where that is taken, by a drafter or by work on one."""
    stem = re.sub(r"[^\w.]+", "-", target_title(target)).strip("-.") or "drafter"
    folder, number = base / f"{stem}-{scheme}", 1
    while folder.exists() or work_of(folder).exists():
        number += 1
        folder = base / f"{stem}-{scheme}-{number}"
    return folder
