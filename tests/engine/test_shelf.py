"""What is on disk, wherever it lies, with the reason where it can't be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.models import places, remove
from engine.models.errors import ModelError
from engine.process import shelf as records
from engine.process.shelf import OnDisk, Shelf
from engine.shelf import shelf
from tests.engine.models.samples import CONFIG, repository

REPO = {name: content for name, content in repository(5).items() if not name.endswith(".py") and "/" not in name}
DRAFTER = {
    "architectures": ["DFlash2DraftModel"], "model_type": "qwen3", "auto_map": {"AutoModel": "dflash.Model"},
    "dflash_config": {"block_size": 8}, "num_hidden_layers": 5,
}  # fmt: skip


def put(directory: Path, files: dict[str, bytes]) -> Path:
    directory.mkdir(parents=True)
    for name, content in files.items():
        (directory / name).write_bytes(content)
    return directory


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SLIPSTREAM_HOME", str(tmp_path / "slipstream"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(places.Path, "home", lambda: tmp_path)
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    return tmp_path


def cached(home: Path, repo: str, files: dict[str, bytes], revision: str = "abc") -> Path:
    directory = home / "hub" / f"models--{repo.replace('/', '--')}"
    (directory / "refs").mkdir(parents=True, exist_ok=True)
    (directory / "refs" / "main").write_text(revision)
    return put(directory / "snapshots" / revision, files)


def found(listed: Shelf, use: str) -> OnDisk:
    return next(item for item in listed.models if item.use == use)


def test_models_of_every_place_are_listed_once(home: Path) -> None:
    cached(home, "maker/model-4bit", REPO)
    put(home / ".lmstudio" / "models" / "lmstudio-community" / "Qwen3-8B-MLX-4bit", REPO)
    mine = put(home / "mine" / "deep" / "model", REPO)
    put(home / "slipstream" / "data" / "models" / "made-4bit", REPO)
    (home / "link").symlink_to(mine)
    listed = shelf([home / "mine", home / "link"], context_tokens=100)
    by_place = {item.place: item for item in listed.models}
    assert sorted(item.place for item in listed.models) == ["embedded", "folder", "hub", "lmstudio", "own"]
    assert all(item.state == "whole" for item in listed.models), [item.message for item in listed.models]
    hub = by_place["hub"]
    assert (hub.use, hub.hub, hub.revision, hub.licence) == (
        "maker/model-4bit",
        "maker/model-4bit",
        "abc",
        "apache-2.0",
    )
    assert (hub.architecture, hub.layers, hub.context_tokens, hub.removable) == ("llama", 2, 512, True)
    assert hub.size_bytes == sum(map(len, REPO.values()))
    assert hub.fit is not None and hub.fit.verdict == "fits" and hub.fit.context_tokens == 100
    assert by_place["lmstudio"].hub == "lmstudio-community/Qwen3-8B-MLX-4bit"
    assert (by_place["folder"].use, by_place["folder"].removable) == (str(mine), False)
    assert records.decode(records.encode(listed)) == listed
    # Known pairs name what of them is there: LM Studio's copy is the target that Qwen3-8B's drafters want.
    pair = next(pair for pair in listed.pairs if pair.drafter == "z-lab/Qwen3-8B-DFlash-b16")
    assert pair.missing == ("drafter",) and pair.pull == ("z-lab/Qwen3-8B-DFlash-b16",)
    assert pair.target_use.endswith("Qwen3-8B-MLX-4bit") and pair.message.startswith("The drafter is not on this disk")


def test_a_missing_half_is_named_with_the_way_to_it(home: Path) -> None:
    listed = shelf(with_fit=False)
    pair = next(pair for pair in listed.pairs if pair.drafter == "z-lab/Qwen3-8B-DFlash-b16")
    assert pair.missing == ("target", "drafter")
    assert pair.pull == ("mlx-community/Qwen3-8B-4bit", "z-lab/Qwen3-8B-DFlash-b16")
    unknown = next(pair for pair in listed.pairs if pair.target == "Muse-Glimmer-30B")
    assert unknown.pull == () and "quantise" in unknown.message and "add its folder" in unknown.message


@pytest.mark.parametrize(
    ("files", "state", "says"),
    [
        ({**REPO, "config.json": json.dumps({**CONFIG, "auto_map": {"a": "b"}}).encode()}, "refused", "never does"),
        ({**REPO, "config.json": json.dumps({**CONFIG, "model_file": "x.py"}).encode()}, "refused", "model_file"),
        ({**REPO, "config.json": json.dumps({**CONFIG, "model_type": "nonsense"}).encode()}, "refused", "nonsense"),
        ({"config.json": REPO["config.json"], "pytorch_model.bin": b"x"}, "refused", "pickles"),
        ({k: v for k, v in REPO.items() if k != "tokenizer.json"}, "incomplete", "tokenizer"),
        ({k: v for k, v in REPO.items() if "00002-of" not in k}, "incomplete", "00002-of-00003"),
        ({k: v for k, v in REPO.items() if k != "config.json"}, "incomplete", "config.json"),
        ({**REPO, "config.json": b"{not json"}, "incomplete", "JSON"),
        ({**REPO, "model-00001-of-00003.safetensors": b"\0" * 100}, "incomplete", "not a whole safetensors"),
    ],
)
def test_what_cannot_be_used_says_why(files: dict[str, bytes], state: str, says: str, home: Path) -> None:
    put(home / "mine" / "model", files)
    (item,) = [item for item in shelf([home / "mine"], with_fit=False).models if item.place == "folder"]
    assert (item.state, item.fit) == (state, None)
    assert says in item.message and item.message.endswith(".") and "\n" not in item.message


def test_a_drafter_may_name_code_that_is_never_run(home: Path) -> None:
    weights = {name: content for name, content in REPO.items() if name.endswith((".safetensors", "index.json"))}
    put(home / "mine" / "drafter", {**weights, "config.json": json.dumps(DRAFTER).encode()})
    (item,) = [item for item in shelf([home / "mine"]).models if item.place == "folder"]
    assert (item.kind, item.scheme, item.state, item.fit) == ("drafter", "D", "whole", None)


def test_a_pull_that_ended_early_is_listed_as_such(home: Path) -> None:
    cached(home, "maker/model-4bit", {name: REPO[name] for name in ("config.json", "tokenizer.json")})
    (item,) = [item for item in shelf(with_fit=False).models if item.place == "hub"]
    assert (item.state, item.hub) == ("incomplete", "maker/model-4bit") and item.removable
    assert remove.remove(item.use) > 0
    assert not [item for item in shelf(with_fit=False).models if item.place == "hub"]


def test_only_what_is_listed_can_be_removed(home: Path) -> None:
    mine = put(home / "mine" / "model", REPO)
    made = put(home / "slipstream" / "data" / "models" / "made-4bit", REPO)
    studio = put(home / ".lmstudio" / "models" / "a" / "b", REPO)
    for name in (str(home), str(home / "mine"), "/", "embedded", "nobody/nothing", str(mine)):
        with pytest.raises(ModelError):
            remove.remove(name, [home / "mine"])
    assert mine.is_dir()
    assert remove.remove(str(made)) == sum(map(len, REPO.values())) and not made.exists()
    remove.remove(str(studio))
    assert not studio.exists() and studio.parent.is_dir()


def test_lm_studio_may_have_moved(home: Path) -> None:
    (home / ".lmstudio-home-pointer").write_text(str(home / "elsewhere") + "\n")
    put(home / "elsewhere" / "models" / "maker" / "model", REPO)
    assert places.lies_elsewhere("maker/model") == home / "elsewhere" / "models" / "maker" / "model"
    assert places.lies_elsewhere("maker/other") is None
