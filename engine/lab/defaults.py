"""Which arms a lab runs where nobody says: the embedded model alone, and the best drafters that ship for it.

Of trained drafters the one with the most held-out tokens a forward counts as best; where none says, the furthest
scheme. It goes first, since a quick sweep varies the first drafter only. Neither MLX nor Qt is imported here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.paths import resources_dir

BASELINE = "baseline"
TABLE = "table+lookup"
TRAINED_KEY = "slipstream_drafter"
SCORE = "tokens_per_forward"


def default_arms(target: str = "embedded", drafters: Path | None = None) -> tuple[str, ...]:
    """As they are written on the command line. What ships fits the embedded model only: another has look-up."""
    if target != "embedded":
        return (BASELINE, "lookup")
    best = best_trained(drafters or resources_dir() / "drafters")
    return (BASELINE, *([best] if best else []), TABLE)


def best_trained(drafters: Path) -> str:
    """The arm of the best drafter in a directory, look-up first; empty where there is none. One of scheme A comes last:
    it pays a forward for each draft, where the others pay one for a block.
    """
    found = []
    for file in sorted(drafters.glob("*/config.json")):
        config = _read(file)
        if TRAINED_KEY in config:
            layout, about = config.get("layout") or {}, config.get("about") or {}
            scheme = str(layout.get("scheme", ""))
            found.append((scheme != "A", _score(about), scheme, file.parent))
    if not found:
        return ""
    _, _, scheme, path = max(found, key=lambda each: each[:3])
    return f"drafter={path}+lookup,name={scheme or path.name}+lookup"


def _score(about: dict[str, Any]) -> float:
    """Held-out tokens a forward, wherever training noted them; 0 where it didn't."""
    for place in (about, about.get("held_out"), about.get("evaluation")):
        if isinstance(place, dict) and isinstance(place.get(SCORE), (int, float)):
            return float(place[SCORE])
    return 0.0


def _read(file: Path) -> dict[str, Any]:
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return config if isinstance(config, dict) else {}
