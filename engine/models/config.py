"""``config.json`` of a model's or a drafter's directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.models.errors import ModelError


def read_config_file(path: Path, kind: str, choose: str) -> dict[str, Any]:
    """Args: kind: ``model`` or ``drafter``, as errors name it; choose: what to choose in its place.

    Raises ``ModelError``, one sentence.
    """
    if not path.is_dir():
        raise ModelError(
            f"There is no {kind} directory at {path}. Choose a folder with config.json and safetensors files."
        )
    file = path / "config.json"
    if not file.is_file():
        raise ModelError(f"{path} is not a {kind}: it has no config.json. Choose {choose}.")
    try:
        fields = json.loads(file.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ModelError(f"{file} is not valid JSON ({error}). Fetch the {kind} again.") from error
    if not isinstance(fields, dict):
        raise ModelError(f"{file} does not hold a JSON object. Fetch the {kind} again.")
    return fields
