"""The embedded model in batches: each request writes what the single loop writes for it, near-ties named."""

from __future__ import annotations

from engine.batch.server import BatchServer, QueueServer, Request, Service
from engine.chat import prompt_ids, render
from engine.drafters.load import attach
from engine.target import Target
from engine.trace.events import Arm, ModelFacts, Settings
from engine.trace.session import ids_of
from engine.trace.verdict import compare_turns
from tests import embedded
from tests.engine.batch.serving import drive, rounds, turns

PROMPTS = ("Name three colours.", "用一句话介绍月亮。", 'Repeat exactly: {"boats": [1, 2, 3], "port": "Bremen"}')
TOKENS = 12


def test_rows_of_different_length_and_acceptance() -> None:
    facts = ModelFacts(name="embedded", held_as="float32", context_tokens=8192, vocabulary=49152)
    target = Target.of(embedded.expanded_model(), embedded.tokenizer(), facts)
    arm = Arm(name="arm", drafter="lookup+table", settings=Settings(max_tokens=TOKENS, block=5))
    plain = Arm(name="arm", settings=Settings(max_tokens=TOKENS))
    asked = [
        Request(n, tuple(prompt_ids(target.tokenizer, render(target.tokenizer, "", (), text))))
        for n, text in enumerate(PROMPTS)
    ]
    assert len({len(request.ids) for request in asked}) == 3
    alone = turns(drive(QueueServer(Service(plain, target)), asked))
    drafting = Service(arm, target, lambda: attach(arm, target, lambda *_: target)[0])
    events = drive(BatchServer(drafting, 3), asked)
    together = turns(events)
    assert max(r.lanes for r in rounds(events)) == 3
    assert sum(r.accepted for r in rounds(events)) > 0
    for n in range(3):
        verdict = compare_turns(alone[n], together[n])
        assert verdict.status in ("identical", "near-tie"), verdict.wording
        assert verdict.status == "near-tie" or ids_of(alone[n]) == ids_of(together[n])
