"""What a run that goes on takes over where the command doesn't say it. Refusals: ``test_drafter``, ``commands``."""

from __future__ import annotations

import json
from pathlib import Path

from engine.train.going_on import usual_vocabulary
from engine.train.layouts import DRAFT_VOCABULARY


def test_the_draft_vocabulary_of_a_run_that_goes_on_is_its_own(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    assert usual_vocabulary(tmp_path) == DRAFT_VOCABULARY
    (run / "run.json").write_text(json.dumps({"layout": {"draft_vocabulary": 8192}}), encoding="utf-8")
    assert usual_vocabulary(tmp_path) == DRAFT_VOCABULARY, "before the first checkpoint nothing is decided"
    (run / "state.safetensors").write_bytes(b"")
    assert usual_vocabulary(tmp_path) == 8192
    (run / "run.json").write_text("{}", encoding="utf-8")
    assert usual_vocabulary(tmp_path) == DRAFT_VOCABULARY
