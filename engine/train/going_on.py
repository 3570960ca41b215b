"""What a command finds that was given before: a drafter that is done, a run to go on with, or another run.

Before a run's first checkpoint nothing is decided. From then on recipe, layout, text and target must be the same; what
differs is named by the options that the user gave. All of it is known before anything is computed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from engine.drafters.formats.files import read_json
from engine.drafters.layout import Layout
from engine.drafters.save import is_saved
from engine.train.failures import TrainError
from engine.train.layouts import DRAFT_VOCABULARY
from engine.train.recipe import TrainRecipe

Described = Mapping[str, Mapping[str, Any]]
"""Recipe, layout and facts, as ``run.json`` holds them."""
FINISHED = ("done", "no better any more")
"""How a run may have ended that does not go on."""
OPTIONS = {
    "recipe": (
        "scheme", "steps", "seed", "conversations", "anchors", "firsts", "sampled", "unroll", "learning_rate", "decay",
        "soft", "start",
    ),
    "layout": ("gamma", "layers", "draft_vocabulary"),
    "facts": ("target",),
}  # fmt: skip
"""Names that options have too."""
TEXT = ("conversations", "tokens", "text", "coverage")


def describe(recipe: TrainRecipe, layout: Layout, facts: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """As it is read back."""
    described = {"recipe": msgspec.to_builtins(recipe), "layout": msgspec.to_builtins(layout), "facts": dict(facts)}
    back: dict[str, dict[str, Any]] = json.loads(json.dumps(described))
    return back


def differences(before: Described, now: Described) -> list[str]:
    """What is another, each as "--steps 30 (now 60)"; empty where nothing is."""
    changed = {part: [name for name in now[part] if before.get(part, {}).get(name) != now[part][name]] for part in now}
    if not any(changed.values()):
        return []
    found = [
        difference(option(name), before.get(part, {}).get(name), now[part][name])
        for part, names in OPTIONS.items()
        for name in names
        if name in changed.get(part, ())
    ]
    text = set(changed.get("facts", ())) & set(TEXT)
    # Another draft vocabulary covers another share of the same text.
    if text - {"coverage"} or (text and "draft_vocabulary" not in changed.get("layout", ())):
        found.append("another text (--data, --prompts)")
    return found or ["other settings, by another version of this program"]


def option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def difference(name: str, before: Any, now: Any) -> str:
    def shown(value: Any) -> str:
        return f"{value:g}" if isinstance(value, float) else str(value)

    if before in (None, "") or now in (None, ""):
        return f"no {name} (now {shown(now)})" if now not in (None, "") else f"{name} {shown(before)} (now none)"
    return f"{name} {shown(before)} (now {shown(now)})"


def refusal(work: Path, found: list[str]) -> TrainError:
    best = work / "run" / "best"
    more = f" and begin with what it has learned (--start {best})" if is_saved(best) else ""
    return TrainError(
        f"{work} holds a run that was begun with {' and '.join(found)}: give the same again to go on with it, or "
        f"choose another directory (--out){more}."
    )


def begun(work: Path) -> bool:
    """Whether there is a checkpoint to go on from: what was decided before it stays."""
    return (work / "run" / "state.safetensors").exists()


def usual_vocabulary(work: Path) -> int:
    """Tokens a drafter can propose where nobody says how many: of a run that goes on as many as it began with, for the
    usual number may have been another then.
    """
    file = work / "run" / "run.json"
    if not begun(work) or not file.exists():
        return DRAFT_VOCABULARY
    layout = json.loads(file.read_text(encoding="utf-8")).get("layout", {})
    number: int = layout.get("draft_vocabulary", DRAFT_VOCABULARY)
    return number


def check_same(work: Path, now: Described, hours: float | None) -> None:
    """Raises ``TrainError`` where the checkpoint is another run's.

    Args: hours: that were asked for; None where steps were.
    """
    file, plan_file = work / "run" / "run.json", work / "run" / "steps.json"
    if not begun(work) or not file.exists():
        return
    before = json.loads(file.read_text(encoding="utf-8"))
    plan = json.loads(plan_file.read_text(encoding="utf-8")) if plan_file.exists() else {}
    steps = before.get("recipe", {}).get("steps")
    by_hours = bool(plan) and plan.get("steps") == steps
    hours_before: float | None = plan.get("hours", hours) if by_hours else None
    found: list[str] = []
    if hours is not None or hours_before is not None:
        if hours != hours_before:
            now_spent = spent(hours, now["recipe"]["steps"])
            both = hours is not None and hours_before is not None
            found = [f"{spent(hours_before, steps)} (now {now_spent.removeprefix('--hours ') if both else now_spent})"]
        now = {**now, "recipe": {**now["recipe"], "steps": steps}}  # those came from the hours
    found += differences(before, now)
    if found:
        raise refusal(work, found)


def spent(hours: float | None, steps: int) -> str:
    return f"--steps {steps}" if hours is None else f"--hours {hours:g}"


def is_done(out: Path, work: Path, bits: int, group_size: int) -> bool:
    """Whether the drafter is what the run in ``work`` came to in the end, packed as it is wanted."""
    if not is_saved(out) or not begun(work):
        return False
    config = read_json(out)
    packing = config.get("quantization") or {"bits": 16}
    same = packing.get("bits") == bits and (bits == 16 or packing.get("group_size") == group_size)
    return same and config.get("about", {}).get("ended") in FINISHED


def check_overwriting(out: Path, work: Path) -> None:
    """Raises ``TrainError`` where a finished drafter would be written over by a run that begins anew."""
    if not is_saved(out) or begun(work):
        return
    if read_json(out).get("about", {}).get("ended", "done") != "stopped":
        raise TrainError(
            f"{out} is a drafter that is done, and its run, which would be in {work}, is gone: choose another "
            "directory (--out), or remove this one to train it anew."
        )
