"""A request's arms are weighed before they are loaded, and room is made where it must be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.loader import MemoryRefused, open_arms
from engine.memory.estimate import Load
from engine.models.errors import ModelError
from engine.models.fetch import Stopped
from engine.process.protocol import Estimate, Loading, Open, Reply, decode_reply, encode
from engine.process.shelf import Fit
from engine.session import Models, Session
from engine.trace.events import Arm
from tests.engine.models.hub_server import HubServer
from tests.engine.models.samples import CONFIG, repository
from tests.tiny import tiny_target

OPEN = Open(id=4, arms=(Arm(name="a", target="new"),))


class Bench:
    def __init__(self) -> None:
        self.loaded: list[str] = []
        self.session = Session(Models(self.load))
        self.sent: list[Reply] = []

    def load(self, name: str) -> Any:
        self.loaded.append(name)
        self.held = sorted(self.session.models.targets)
        return tiny_target("dense")

    def open(self, request: Open, load: Load | None, stopped: Any = lambda: False) -> list[Any]:
        return open_arms(self.session, request, self.sent.append, stopped, lambda *_: load)


def weighed(verdict: Any, new: int, free: int, freed: int = 0) -> Load:
    return Load(Fit(verdict=verdict, total_bytes=new, available_bytes=free, message="It takes 9 of 8 GB."), new, freed)


def test_what_it_takes_is_said_before_it_is_loaded() -> None:
    bench = Bench()
    bench.open(OPEN, weighed("fits", 10, 100))
    assert [type(reply) for reply in bench.sent[:2]] == [Estimate, Loading]
    assert decode_reply(encode(bench.sent[0])) == bench.sent[0]
    bench.sent.clear()
    bench.open(OPEN, None)
    assert bench.sent == []


@pytest.mark.parametrize("load", [weighed("too large", 200, 100), weighed("tight", 200, 100)])
def test_what_does_not_fit_is_refused_and_loaded_when_asked_again(load: Load) -> None:
    bench = Bench()
    with pytest.raises(MemoryRefused) as caught:
        bench.open(OPEN, load)
    assert bench.loaded == [] and "load it anyway" in str(caught.value)
    bench.open(Open(id=5, arms=OPEN.arms, anyway=True), load)
    assert bench.loaded == ["new"]


def test_a_tight_fit_is_only_a_warning() -> None:
    bench = Bench()
    bench.open(OPEN, weighed("tight", 90, 100))
    assert bench.loaded == ["new"]


@pytest.mark.parametrize(("free", "held"), [(2**40, ["old"]), (150, [])])
def test_the_old_goes_first_where_both_do_not_fit(free: int, held: list[str]) -> None:
    bench = Bench()
    bench.open(Open(id=1, arms=(Arm(name="a", target="old"),)), None)
    bench.open(OPEN, weighed("fits", 100, free, freed=80))
    assert bench.held == held
    assert sorted(bench.session.models.targets) == ["new"]


def test_a_fetch_tells_its_bytes_and_can_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with HubServer({"maker/model": repository(2)}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        request = Open(id=9, arms=(Arm(name="a", target="maker/model", drafter="lookup"),))
        bench = Bench()
        with pytest.raises(Stopped):
            bench.open(request, None, lambda: hub.sent_bytes > 5000)
        assert bench.loaded == []
        bench.open(request, None)
        told = [reply for reply in bench.sent if isinstance(reply, Loading) and reply.unit == "bytes"]
        assert told[-1].done == told[-1].total > 12_000 and told[0].what == "maker/model"
        # It is there now: no further word with the hub.
        asked = len(hub.requests)
        Bench().open(request, None)
        assert len(hub.requests) == asked


def test_an_architecture_nobody_computes_is_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import json

    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    files = {**repository(2), "config.json": json.dumps({**CONFIG, "model_type": "nonsense"}).encode()}
    with HubServer({"maker/model": files}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        with pytest.raises(ModelError, match="nonsense"):
            Bench().open(Open(id=9, arms=(Arm(name="a", target="maker/model"),)), None)
        assert hub.sent_bytes < 4000
