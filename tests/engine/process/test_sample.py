"""What the engine's memory samples count: every model and every table once, however many arms name it."""

from __future__ import annotations

from typing import Any

from engine.drafters.base import Drafter, FirstOf
from engine.drafters.lookup import Lookup
from engine.drafters.table import TableDrafter
from engine.process.worker import Inbox, Worker
from engine.session import ArmState
from engine.trace.events import Arm, MemorySample
from engine.train.dataset import Dataset
from engine.train.fit import fit_table
from tests.engine.train.texts import conversations
from tests.tiny import tiny_target


class Heard:
    def __init__(self) -> None:
        self.said: list[Any] = []

    def send(self, message: Any) -> None:
        self.said.append(message)


def test_a_table_that_arms_share_counts_once() -> None:
    manifest = {"vocabulary": 64, "target": {"name": "tiny"}, "recipe": {"seed": 0}}
    table = fit_table(Dataset(conversations(([5], [6, 7, 8, 6, 7, 9], False)), conversations(), manifest))
    target, heard = tiny_target("dense"), Heard()
    worker = Worker(Inbox([], heard), heard)  # type: ignore[arg-type]
    drafters: list[Drafter | None] = [None, TableDrafter(table), FirstOf([Lookup(), TableDrafter(table)])]
    for n, drafter in enumerate(drafters):
        worker.session.arms[str(n)] = ArmState(Arm(name=str(n)), target, drafter, None)
    worker.sample(0.0)
    (sample,) = heard.said
    assert isinstance(sample, MemorySample)
    assert sample.drafter_weights_bytes == table.nbytes > 0
    assert sample.target_weights_bytes == target.facts.weights_bytes
