"""A drafter that reads its target's layers, through the engine process and the command line: named, tried, lossless."""

from __future__ import annotations

import json
from pathlib import Path

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten, tree_map

from engine.cli import main
from engine.drafters.formats.tensors import build
from engine.drafters.layout import Cascade, Layout
from engine.drafters.save import save_drafter
from engine.process.client import EngineClient
from engine.process.protocol import Checked
from engine.trace.events import Arm, MemorySample, Round, Settings, Started
from engine.trace.session import group, ids_of

QUESTION = "Name three colours."


@pytest.fixture(scope="module")
def drafter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scheme E with random weights for the embedded model: it knows nothing, and must cost no text."""
    layout = Layout(
        scheme="E",
        gamma=4,
        taps=(2, 16),
        mask_id=16,
        hidden_size=576,
        layers=2,
        heads=2,
        kv_heads=1,
        head_dim=64,
        intermediate_size=64,
        vocabulary=49152,
        cascade=Cascade(lens_rank=8, transition_rank=8),
    )
    model = build(layout)
    mx.random.seed(3)
    model.update(tree_map(lambda a: mx.random.normal(a.shape) * 0.05, model.parameters()))
    path = tmp_path_factory.mktemp("drafters") / "random-e"
    save_drafter(path, layout, dict(tree_flatten(model.parameters())))
    return path


def test_the_engine_says_that_it_knows_nothing_and_the_text_is_the_baseline_s(drafter: Path) -> None:
    settings = Settings(max_tokens=16, block=5, candidate_width=4)
    arms = [Arm(name="baseline", settings=settings), Arm(name="E", drafter=str(drafter), settings=settings)]
    with EngineClient() as engine:
        opened = engine.open(arms)
        assert opened.drafters["E"].weights_bytes > 0
        assert opened.drafters["E"].architecture == "cascade"
        while not isinstance(checked := engine.next_reply(120), Checked):
            pass
        events = list(engine.ask(QUESTION, arms))
    assert (checked.arm, checked.verdict) == ("E", "can't tell")
    assert checked.message.count("\n") == 0
    samples = [e for e in events if isinstance(e, MemorySample)]
    assert samples[-1].drafter_weights_bytes == opened.drafters["E"].weights_bytes
    turns = {turn.arm: turn for turn in group(events)}  # type: ignore[arg-type]
    assert ids_of(turns["baseline"]) == ids_of(turns["E"]) != []
    rounds = [e for e in events if isinstance(e, Round) and e.arm == "E" and e.width]
    assert {r.source for r in rounds} == {"cascade"}
    assert all(r.drafter_state_bytes > 0 for r in rounds)
    (started,) = [e for e in events if isinstance(e, Started) and e.arm == "E"]
    assert started.drafter is not None
    assert started.drafter.weights_bytes > 0


def test_the_command_line_checks_and_packs_it(
    drafter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "check", str(drafter), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "can't tell"
    packed = tmp_path / "packed"
    assert main(["models", "quantize", str(drafter), "--out", str(packed)]) == 0
    config = json.loads((packed / "config.json").read_text())
    assert config["quantization"]["bits"] == 4
    assert config["about"]["precisions"]
    assert main(["models", "check", str(tmp_path / "none")]) == 2
    assert "There is no model directory" in capsys.readouterr().err


def test_known_pairs_are_listed_without_a_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "list"]) == 0
    out = capsys.readouterr().out
    assert "Qwen3.8-27B with z-lab/Qwen3.8-27B-DFlash2 (scheme D, block 8; not run here)" in out
    assert "No figure of speed is claimed" in out
