"""The embedded model: golden answer, exact weights and tokenizer, and a directory that is whole or made anew."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import shutil
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import mlx_lm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import paths
from engine.models import demo
from engine.models.errors import ModelError
from engine.platform import backend
from tests import embedded

QUESTION = "Why is the sky blue?"
GOLDEN = [
    *(504, 2988, 288, 451, 1962, 5721, 281, 260, 7564, 7180, 282, 1420, 284, 2380, 30, 378),
    *(6376, 4541, 4461, 975, 282, 253, 7613, 1343, 347, 13739, 43464, 24484, 30, 669, 4149, 645),
]
GOLDEN_TEXT = (
    "The answer to this question lies in the intricate dance of light and color. The sky appears blue because of a "
    "phenomenon known as Rayleigh scattering. This occurs when"
)
PROSE = (
    "The history of the railway begins in the early nineteenth century, when engineers in England learned to build "
    "steam engines that were light enough to pull a train of wagons along iron rails. Within a few decades, railways "
    "connected the great cities of Europe and North America. They made it possible to travel in hours what had taken "
    "days before, and they changed the way people thought about time and distance."
)
UNKNOWN_BYTES = {0x04, 0x06, 0x13, 0x14, 0x16, 0x1D, 0xF1, 0xF2}
"""Bytes of UTF-8 that the model's vocabulary lacks: six control codes, and code points that nothing is assigned to."""


@pytest.mark.skipif(backend() != "cpu", reason="the golden ids belong to float32 arithmetic")
def test_golden_answer() -> None:
    """The smallest margin of these tokens is 0.05, far above float32 noise."""
    tokenizer = embedded.tokenizer()
    prompt = tokenizer.apply_chat_template([{"role": "user", "content": QUESTION}], add_generation_prompt=True)
    answer = mlx_lm.stream_generate(embedded.expanded_model(), tokenizer, prompt, max_tokens=len(GOLDEN))
    ids = [response.token for response in answer]
    assert ids == GOLDEN
    assert tokenizer.decode(ids) == GOLDEN_TEXT


def perplexity(model: nn.Module, ids: list[int]) -> float:
    logits = model(mx.array([ids]))[0].astype(mx.float32)
    return math.exp(nn.losses.cross_entropy(logits[:-1], mx.array(ids[1:])).mean().item())


def test_query_and_key_rows_are_in_the_order_of_the_rope() -> None:
    """17.3 as converted; 78 where the rows stay as GGUF has them, which still loads and still writes words."""
    assert perplexity(embedded.expanded_model(), embedded.tokenizer().encode(PROSE)) < 20


def test_rows_are_permuted_packed_as_they_are() -> None:
    mx.random.seed(1)
    heads, half, columns = 3, 4, 64
    dense = mx.random.normal((heads * 2 * half, columns))
    interleaved = dense.reshape(heads, 2, half, columns).swapaxes(1, 2).reshape(dense.shape)
    packed = mx.quantize(interleaved, 32, 4)
    back = [demo.unpermute_rows(array, heads) for array in packed]
    for found, expected in zip(back, mx.quantize(dense, 32, 4), strict=True):
        assert mx.array_equal(found, expected)


def test_weights_stay_as_quantised_as_the_source() -> None:
    source = mx.load(str(demo.source_file()))
    model = mx.load(str(embedded.directory() / "model.safetensors"))
    assert isinstance(source, dict)
    assert isinstance(model, dict)
    assert {demo.parameter_name(name) for name in source} == set(model)
    for name, array in source.items():
        converted = model[demo.parameter_name(name)]
        if ".attn_q." in name or ".attn_k." in name:
            converted, array = mx.sort(converted, axis=0), mx.sort(array, axis=0)
        assert mx.array_equal(converted.astype(array.dtype), array), name


def test_config_names_both_precisions() -> None:
    config = json.loads((embedded.directory() / "config.json").read_text())
    assert config["quantization"] == {
        "group_size": 32,
        "bits": 4,
        "model.embed_tokens": {"group_size": 32, "bits": 8},
    }
    assert (config["rope_theta"], config["rms_norm_eps"], config["vocab_size"]) == (100000.0, 1e-5, 49152)


# Tokenizer


def test_vocabulary_is_the_sources() -> None:
    _, facts = mx.load(str(demo.source_file()), return_metadata=True)
    tokenizer = embedded.tokenizer()
    assert tokenizer.convert_ids_to_tokens(list(range(len(tokenizer)))) == facts["tokenizer.ggml.tokens"]
    assert tokenizer.chat_template == facts["tokenizer.chat_template"]
    assert tokenizer.eos_token_ids == {2}


def test_digits_are_split_one_by_one() -> None:
    tokenizer = embedded.tokenizer()
    assert tokenizer.convert_ids_to_tokens(tokenizer.encode("in 1984")) == ["in", "Ġ", "1", "9", "8", "4"]
    # Both spaces are one token: the number was split off before words were.
    assert tokenizer.convert_ids_to_tokens(tokenizer.encode("in  19")) == ["in", "ĠĠ", "1", "9"]


def test_chat_template_adds_the_systems_line_and_special_ids() -> None:
    tokenizer = embedded.tokenizer()
    ids = tokenizer.apply_chat_template([{"role": "user", "content": "Hi"}], add_generation_prompt=True)
    assert tokenizer.decode(ids) == (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    )
    assert [token for token in ids if token < 17] == [1, 2, 1, 2, 1]


def test_special_tokens_in_text_are_ids_of_their_own() -> None:
    assert embedded.tokenizer().encode("<empty_output><|im_end|>") == [16, 2]


@settings(deadline=None)
@given(st.text())
def test_text_survives_the_round_trip(text: str) -> None:
    tokenizer = embedded.tokenizer()
    known = "".join(character for character in text if not UNKNOWN_BYTES & set(character.encode()))
    assert tokenizer.decode(tokenizer.encode(known)) == known


@pytest.mark.parametrize(
    "text", ["推测解码让模型更快。", "👩‍👩‍👧‍👦 🇨🇳 😀", "naïve café – “quotes”", "  two  spaces\n\n\ttab", "𝔘𝔫𝔦"]
)
def test_scripts_survive_the_round_trip(text: str) -> None:
    tokenizer = embedded.tokenizer()
    assert tokenizer.decode(tokenizer.encode(text)) == text


# The directory


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path))
    return tmp_path


def leftovers(directory: Path) -> list[str]:
    return [path.name for path in directory.parent.iterdir() if path.is_dir() and path != directory]


def test_conversion_happens_once_and_reports_progress(home: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    directory = demo.embedded_model(lambda *step: steps.append(step))
    assert directory == home / "cache" / "models" / demo.NAME
    assert steps[-1][1] == steps[-1][2] > 1
    assert leftovers(directory) == []
    steps.clear()
    before = (directory / demo.MANIFEST).stat().st_mtime_ns
    assert demo.embedded_model(lambda *step: steps.append(step)) == directory
    assert steps == []
    assert (directory / demo.MANIFEST).stat().st_mtime_ns == before


def damage_bytes(directory: Path) -> None:
    with (directory / "model.safetensors").open("r+b") as file:
        file.seek(50_000_000)
        byte = file.read(1)
        file.seek(50_000_000)
        file.write(bytes([byte[0] ^ 1]))


def cut_short(directory: Path) -> None:
    with (directory / "tokenizer.json").open("r+b") as file:
        file.truncate(1000)


def lose_a_file(directory: Path) -> None:
    (directory / "config.json").unlink()


def lose_the_manifest(directory: Path) -> None:
    (directory / demo.MANIFEST).unlink()


def empty_the_manifest(directory: Path) -> None:
    manifest = json.loads((directory / demo.MANIFEST).read_text())
    (directory / demo.MANIFEST).write_text(json.dumps({**manifest, "files": {}}))


def age_the_conversion(directory: Path) -> None:
    manifest = json.loads((directory / demo.MANIFEST).read_text())
    (directory / demo.MANIFEST).write_text(json.dumps({**manifest, "conversion": 0}))


DAMAGES = [damage_bytes, cut_short, lose_a_file, lose_the_manifest, empty_the_manifest, age_the_conversion]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_directory_is_made_anew(home: Path, damage: object) -> None:
    directory = demo.embedded_model()
    assert callable(damage)
    damage(directory)
    (directory.parent / f".{demo.NAME}.killed").mkdir()
    assert not demo.is_intact(directory)
    assert demo.is_intact(demo.embedded_model())
    assert leftovers(directory) == []


def test_failed_conversion_leaves_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(demo, "_write_tokenizer", fail)
    with pytest.raises(ModelError, match=r"can't be written to .* \(No space left on device\); make room"):
        demo.embedded_model()
    assert not demo.model_dir().exists()
    assert leftovers(demo.model_dir()) == []


def convert_and_tell(queue: multiprocessing.Queue) -> None:
    conversions: list[str] = []
    directory = demo.embedded_model(lambda what, done, total: conversions.append(what))
    queue.put((demo.is_intact(directory), bool(conversions)))


def test_one_of_several_processes_converts(home: Path) -> None:
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    processes = [context.Process(target=convert_and_tell, args=(queue,)) for _ in range(3)]
    for process in processes:
        process.start()
    told = [queue.get(timeout=120) for _ in processes]
    for process in processes:
        process.join()
    assert all(intact for intact, _ in told)
    assert sum(converted for _, converted in told) == 1


def test_changed_source_is_refused_in_one_sentence(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / demo.SOURCE_NAME
    data = bytearray(demo.source_file().read_bytes())
    data[70_000_000] ^= 1
    changed.write_bytes(data)
    monkeypatch.setattr(demo, "source_file", lambda: changed)
    with pytest.raises(ModelError) as refusal:
        demo.embedded_model()
    message = str(refusal.value)
    assert str(changed) in message
    assert demo.SOURCE_SHA256 in message
    assert "reinstall it" in message
    assert "\n" not in message
    assert not demo.model_dir().exists()


@pytest.fixture
def read_only(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package's file, for reading alone, as where somebody else installed it. (Root may write all the same.)"""
    source = tmp_path / "package" / demo.SOURCE_NAME
    source.parent.mkdir()
    shutil.copyfile(demo.source_file(), source)
    source.chmod(0o444)
    source.parent.chmod(0o555)
    monkeypatch.setattr(demo, "source_file", lambda: source)
    if os.geteuid() == 0:
        load, may_write = mx.load, demo._writable

        def as_another(file: str, **more: object) -> object:
            if file == str(source):
                raise RuntimeError("[load_gguf] gguf_init failed")
            return load(file, **more)  # type: ignore[arg-type]

        monkeypatch.setattr(demo, "_writable", lambda file: file != source and may_write(file))
        monkeypatch.setattr(demo.mx, "load", as_another)
    return source


def test_a_source_that_may_only_be_read_is_enough(read_only: Path) -> None:
    before = read_only.stat()
    directory = demo.embedded_model()
    assert demo.is_intact(directory)
    assert demo.SOURCE_NAME not in {file.name for file in directory.iterdir()}
    assert leftovers(directory) == []
    assert (read_only.stat().st_mtime_ns, read_only.stat().st_mode) == (before.st_mtime_ns, before.st_mode)


def test_a_source_that_mlx_refuses_is_one_sentence(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("[load_gguf] gguf_init failed")

    monkeypatch.setattr(demo.mx, "load", refuse)
    with pytest.raises(ModelError, match=r"MLX can't read the embedded model from .*gguf .*gguf_init failed.*: rein"):
        demo.embedded_model()
    assert leftovers(demo.model_dir()) == []


def test_a_source_that_cannot_be_read_is_said(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "source_file", lambda: tmp_path)
    with pytest.raises(ModelError, match=r"can't be read from .* \(is a directory\): make the file readable"):
        demo.embedded_model()


def test_missing_package_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "PACKAGE", "no_such_package")
    with pytest.raises(ModelError, match="make setup"):
        demo.embedded_model()


@pytest.fixture
def bundle(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Resources as an application bundle has them: the directory is there, the package is not."""
    directory = demo.embedded_model()
    resources = home / "bundle"
    monkeypatch.setattr(paths, "resources_dir", lambda: resources)
    monkeypatch.setattr(demo, "PACKAGE", "no_such_package")
    demo.bundled_dir().parent.mkdir(parents=True)
    return directory.rename(demo.bundled_dir())


def test_bundle_brings_it_converted(bundle: Path) -> None:
    assert demo.embedded_model() == demo.model_dir() == bundle


def test_damaged_bundle_is_said_and_never_written_to(bundle: Path) -> None:
    lose_a_file(bundle)
    before = sorted(bundle.iterdir())
    with pytest.raises(ModelError, match=r"The application is damaged: .* install it again"):
        demo.embedded_model()
    assert sorted(bundle.iterdir()) == before
