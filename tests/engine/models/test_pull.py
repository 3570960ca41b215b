"""Pulls from a hub that lets one down in every way: whole in the end, or stopped with a reason and resumable."""

from __future__ import annotations

import itertools
import shutil
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.models import fetch as fetching
from engine.models import pull as pulling
from engine.models.errors import ModelError
from engine.models.files import is_whole
from engine.models.hub import local_snapshot, snapshot
from engine.models.pull import FetchError, Patience, Progress, Stopped, make_plan, pull, remove_from_cache
from tests.engine.models.hub_server import Fault, HubServer
from tests.engine.models.samples import repository
from tests.engine.models.storm import weather

REPO = "maker/model-4bit"
QUICK = Patience(timeout_s=0.15, attempts=3, pause_s=0.0)
TAKEN = [name for name in repository() if not name.endswith(".py") and "/" not in name]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    return tmp_path / "hub"


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer({REPO: repository(1)}) as server:
        yield server


def fetched(hub: HubServer, **more: object) -> Path:
    return pull(make_plan(REPO, endpoint=hub.url, patience=QUICK), patience=QUICK, **more)  # type: ignore[arg-type]


def same(path: Path, files: dict[str, bytes]) -> bool:
    return all((path / name).read_bytes() == files[name] for name in TAKEN)


def test_a_pull_is_whole_pinned_and_brings_no_code(cache: Path, hub: HubServer) -> None:
    plan = make_plan(REPO, endpoint=hub.url, patience=QUICK)
    assert (plan.revision, plan.licence) == (hub.revision(REPO), "apache-2.0")
    seen: list[Progress] = []
    path = pull(plan, patience=QUICK, on_progress=seen.append)
    assert path.name == plan.revision and is_whole(path) and same(path, repository(1))
    assert sorted(entry.name for entry in path.iterdir()) == sorted(TAKEN)
    assert (seen[0].done_bytes, seen[-1].done_bytes) == (0, plan.total_bytes)
    assert all(a.done_bytes <= b.done_bytes for a, b in itertools.pairwise(seen))
    assert local_snapshot(REPO) == path
    # The cache is huggingface_hub's own: it finds everything without a network.
    import huggingface_hub

    assert Path(huggingface_hub.snapshot_download(REPO, cache_dir=cache, local_files_only=True)) == path
    assert Path(huggingface_hub.try_to_load_from_cache(REPO, "config.json", cache_dir=cache)) == path / "config.json"


def test_what_is_there_is_never_fetched_twice(cache: Path, hub: HubServer) -> None:
    fetched(hub)
    sent = hub.sent_bytes
    plan = make_plan(REPO, endpoint=hub.url, patience=QUICK)
    assert plan.missing_bytes == 0
    pull(plan, patience=QUICK)
    snapshot(REPO)
    assert hub.sent_bytes == sent
    # A new revision that shares its weights brings only what is new.
    hub.repos = {REPO: {**hub.repos[REPO], "tokenizer_config.json": b'{"new": 1}'}}
    fetched(hub)
    assert hub.sent_bytes == sent + len(b'{"new": 1}')


def test_a_cut_goes_on_where_it_ended(cache: Path, hub: HubServer) -> None:
    hub.faults = lambda asked: Fault("drop", after=1500) if "00002" in asked.path else Fault()
    path = fetched(hub)
    assert is_whole(path)
    assert hub.sent_bytes == sum(len(repository(1)[name]) for name in TAKEN)
    starts = [asked.start for asked in hub.requests if "00002" in asked.path]
    assert starts == [0, 1500, 3000]


def test_a_stopped_pull_goes_on_in_the_next_program(cache: Path, hub: HubServer) -> None:
    weights = [asked for asked in hub.requests if "00003-of" in asked.path]
    with pytest.raises(Stopped, match="kept"):
        fetched(hub, stopped=lambda: any("00002" in asked.path for asked in hub.requests))
    assert not weights and local_snapshot(REPO) is None
    kept = hub.sent_bytes
    assert kept > 0
    assert make_plan(REPO, endpoint=hub.url, patience=QUICK).there_bytes > 0
    assert is_whole(fetched(hub))
    assert hub.sent_bytes <= sum(len(repository(1)[name]) for name in TAKEN) + 4200  # at most the shard that was cut


def test_no_part_is_taken_for_a_model(cache: Path, hub: HubServer) -> None:
    """However the pull is cut, the snapshot has no weights until all of them are whole."""
    hub.faults = lambda asked: Fault("error") if "00003-of" in asked.path else Fault()
    with pytest.raises(FetchError, match="Pull again"):
        fetched(hub)
    repo = next(cache.glob("models--*"))
    assert not list(repo.glob("snapshots/*/*.safetensors")) and not (repo / "refs").exists()
    assert local_snapshot(REPO) is None


@pytest.mark.parametrize(("by", "says"), [(50, "ends before the stated"), (-50, "more than the stated")])
def test_a_hub_that_lies_about_sizes(by: int, says: str, cache: Path, hub: HubServer) -> None:
    hub.lies = {"model-00002-of-00003.safetensors": by}
    with pytest.raises(FetchError) as caught:
        fetched(hub)
    assert "model-00002" in str(caught.value) and says in str(caught.value)
    assert local_snapshot(REPO) is None
    # The truth comes out: what was kept is not taken on trust.
    hub.lies = {}
    assert same(fetched(hub), repository(1))


def test_damage_is_found_by_the_hash_once_and_refused_twice(cache: Path, hub: HubServer) -> None:
    once = iter([Fault("corrupt", after=700)])
    hub.faults = lambda asked: next(once, Fault()) if "00001" in asked.path else Fault()
    assert same(fetched(hub), repository(1))
    shutil.rmtree(cache)
    hub.faults = lambda asked: Fault("corrupt", after=7) if "config.json" in asked.path else Fault()
    with pytest.raises(FetchError, match="hash"):
        fetched(hub)
    assert local_snapshot(REPO) is None


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"config.json": b"{}", "pytorch_model.bin": b"x"}, "pickles"),
        ({"config.json": b"{}", "model.Q4_K_M.gguf": b"x"}, "GGUF"),
        ({"config.json": b"{}"}, "no weights"),
        ({"model.safetensors": b"x"}, "config.json"),
    ],
)
def test_what_is_no_model_is_refused_before_a_byte(files: dict[str, bytes], says: str, cache: Path) -> None:
    with HubServer({"a/b": files}) as hub:
        with pytest.raises(ModelError, match=says):
            make_plan("a/b", endpoint=hub.url, patience=QUICK)
        assert hub.sent_bytes == 0


def test_an_architecture_is_refused_before_its_weights(cache: Path, hub: HubServer) -> None:
    with pytest.raises(ModelError, match="not that one"):
        fetched(hub, inspect=lambda path: f"{path.name}: not that one." if (path / "config.json").is_file() else "")
    assert not any(
        ".safetensors" in asked.path and asked.is_file and "index" not in asked.path for asked in hub.requests
    )


def test_names_that_are_not_there(cache: Path, hub: HubServer) -> None:
    with pytest.raises(ModelError, match="no model 'a/b'"):
        make_plan("a/b", endpoint=hub.url, patience=QUICK)
    with pytest.raises(ModelError, match="no revision 'v9'"):
        make_plan(REPO, revision="v9", endpoint=hub.url, patience=QUICK)
    with pytest.raises(ModelError, match="OWNER/NAME"):
        make_plan("a/b/c d", endpoint=hub.url, patience=QUICK)
    hub.gated = frozenset({REPO})
    with pytest.raises(ModelError, match="licence"):
        make_plan(REPO, endpoint=hub.url, patience=QUICK)
    hub.gated = frozenset()
    hub.faults = lambda asked: Fault("garbage")
    with pytest.raises(FetchError, match="endpoint"):
        make_plan(REPO, endpoint=hub.url, patience=QUICK)
    with pytest.raises(FetchError, match="network"):
        make_plan(REPO, endpoint="http://127.0.0.1:9", patience=QUICK)


def test_names_cannot_leave_the_cache(cache: Path, tmp_path: Path) -> None:
    files = {**repository(1), "../../outside.json": b"{}", "/etc/config.json": b"{}", ".hidden.json": b"{}"}
    with HubServer({REPO: files}) as hub:
        assert {remote.name for remote in make_plan(REPO, endpoint=hub.url, patience=QUICK).remotes} == set(TAKEN)


def test_a_full_disk_is_said_before(cache: Path, hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    plan = make_plan(REPO, endpoint=hub.url, patience=QUICK)
    monkeypatch.setattr(pulling.shutil, "disk_usage", lambda _: usage(10**9, 10**9 - 5000, 5000))
    with pytest.raises(ModelError, match=r"GB more.*are free"):
        pull(plan, patience=QUICK)
    assert hub.sent_bytes == 0


def test_a_disk_that_fills_up_keeps_what_came(cache: Path, hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    plan = make_plan(REPO, endpoint=hub.url, patience=QUICK)
    monkeypatch.setattr(fetching, "_go_on", full)
    with pytest.raises(FetchError, match="disk is full"):
        pull(plan, patience=QUICK)


def test_two_programs_do_not_mix_one_part(cache: Path, hub: HubServer) -> None:
    """The second one is told; the first one's part stays its own."""
    inner: list[str] = []

    def also(progress: Progress) -> None:
        if progress.done_bytes and "00001" in progress.file and not inner:
            with pytest.raises(FetchError) as caught:
                fetched(hub)
            inner.append(str(caught.value))

    path = fetched(hub, on_progress=also)
    assert "another program" in inner[0]
    assert same(path, repository(1))


def test_a_mirror_never_sees_the_token(cache: Path, hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("HF_ENDPOINT", hub.url + "/")
    plan = make_plan(REPO, patience=QUICK)
    assert plan.endpoint == hub.url
    pull(plan, patience=QUICK)
    assert set(hub.tokens) == {""}


def test_remove_takes_parts_too(cache: Path, hub: HubServer) -> None:
    fetched(hub)
    (next(cache.glob("models--*")) / "blobs" / ("0" * 64 + ".part")).write_bytes(b"x" * 1000)
    assert remove_from_cache(REPO) > 13_000
    assert local_snapshot(REPO) is None and not list(cache.iterdir())
    with pytest.raises(ModelError, match="nothing to remove"):
        remove_from_cache(REPO)


def test_what_the_engine_loads_is_fetched_first(cache: Path, hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    path, name, revision = snapshot(REPO)
    assert (name, revision) == ("model-4bit", hub.revision(REPO)) and is_whole(path)
    hub.__exit__(None, None, None)
    assert snapshot(REPO)[0] == path  # without a network, what is there is used


@pytest.mark.parametrize("seed", range(10))
def test_a_little_storm(seed: int, cache: Path) -> None:
    """``tests/long`` has the whole one."""
    weather(seed, cache)
