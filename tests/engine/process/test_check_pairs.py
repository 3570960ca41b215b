"""Which drafters the engine tries: those whose reading was guessed, not those trained here for their target."""

from __future__ import annotations

import queue
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import pytest

from engine.drafters.save import save_drafter, trained_for
from engine.process.worker import Worker
from engine.trace.events import Arm
from tests.engine.drafters.blocks import layout

TARGET = "tiny"


def saved(path: Path, about: dict[str, Any]) -> Path:
    save_drafter(path, layout("B"), {"norm.weight": mx.ones((32,))}, about=about)
    return path


@pytest.mark.parametrize(
    ("about", "name"),
    [
        ({"target": TARGET, "recipe": {"scheme": "B"}}, TARGET),
        ({"target": TARGET, "dialect": "z-lab"}, ""),  # packed from a public checkpoint: how it is read was guessed
        ({}, ""),
    ],
)
def test_only_training_says_what_a_drafter_is_for(about: dict[str, Any], name: str, tmp_path: Path) -> None:
    assert trained_for(saved(tmp_path / "drafter", about)) == name
    assert trained_for(tmp_path) == ""


@pytest.mark.parametrize(("target", "tried"), [(TARGET, False), ("another", True)])
def test_a_drafter_trained_for_its_target_is_not_tried(
    target: str, tried: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path / "drafter", {"target": TARGET, "recipe": {}})
    asked: list[str] = []

    def check_pair(*_: Any, **__: Any) -> SimpleNamespace:
        asked.append("check")
        return SimpleNamespace(verdict="can't tell", sentence="")

    monkeypatch.setattr("engine.drafters.intake.check_pair", check_pair)
    arm = Arm(name="B", target="/models/tiny", drafter=str(path))
    state = SimpleNamespace(spec=arm, target=SimpleNamespace(facts=SimpleNamespace(name=target)))
    loaded = SimpleNamespace(facts=SimpleNamespace(name="drafter", path=str(path)), shared=None)
    sent: list[Any] = []
    worker = SimpleNamespace(
        session=SimpleNamespace(
            models=SimpleNamespace(tapped={(str(path), arm.target): loaded}), arms={"B": state}
        ),
        inbox=SimpleNamespace(work=queue.Queue()), channel=SimpleNamespace(send=sent.append), checked={}, unchecked=3,
    )  # fmt: skip
    Worker.check_pairs(worker)
    assert bool(asked) is tried
    assert bool(sent) is tried
    assert worker.unchecked == 0
