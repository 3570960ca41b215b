"""Intake tells a drafter that fits from one that is read the wrong way, is not this target's, or knows nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.drafters.formats import read_drafter
from engine.drafters.intake import ROUNDS, Tried, beats, check_pair, report_text, save_reading
from engine.drafters.load import load_tapped
from engine.drafters.quantize import packed_copy, quantize_drafter
from engine.drafters.save import save_drafter
from engine.models.errors import ModelError
from tests.engine.drafters.formats.checkpoints import checkpoint
from tests.engine.drafters.predictors import GOOD_TAP, MASK, H, V, body, counting_target, write_chain, write_reader


def test_a_drafter_that_fits(tmp_path: Path) -> None:
    report = check_pair(counting_target(), write_chain(tmp_path))
    assert (report.verdict, report.rounds, report.use) == ("fits", ROUNDS, None)
    declared, *others = report.readings
    assert (declared.accepted_tokens, declared.first_right, declared.first_row) == (3.0, 1.0, 1)
    # Earlier, row 0 repeats the anchor. Later, row 2 is one guess ahead. Its taps this drafter doesn't read.
    kept = {r.name: r.accepted_tokens for r in others}
    assert kept["first guess one row earlier"] == kept["first guess one row later"] == 0
    assert kept["taps one layer lower"] == kept["taps one layer higher"] == 3


def test_a_drafter_read_from_the_wrong_row(tmp_path: Path) -> None:
    """The same weights under a file that says the anchor's row guesses first."""
    layout, weights, _ = read_drafter(write_chain(tmp_path / "right"))
    from msgspec import structs

    save_drafter(tmp_path / "wrong", structs.replace(layout, rows="anchor-first"), weights)
    report = check_pair(counting_target(), tmp_path / "wrong")
    assert report.verdict == "wrong row"
    assert report.use is not None and report.use.first_row == 1 and report.use.accepted_tokens == 3
    assert report.readings[0].accepted_tokens == 0
    assert "row 1" in report.sentence and "0.00" in report.sentence


def test_a_drafter_that_fits_by_its_tap(tmp_path: Path) -> None:
    report = check_pair(counting_target(), write_reader(tmp_path))
    assert report.verdict == "fits"
    kept = {r.name: r.accepted_tokens for r in report.readings}
    assert kept["as declared"] == 1
    assert kept["taps one layer lower"] == kept["taps one layer higher"] == 0


@pytest.mark.parametrize("off", [-1, 1])
def test_taps_that_are_off_by_one(off: int, tmp_path: Path) -> None:
    """What a reader does that takes states for layers."""
    report = check_pair(counting_target(), write_reader(tmp_path, tap=GOOD_TAP + off))
    assert report.verdict == "wrong taps"
    assert report.use is not None and report.use.taps == (GOOD_TAP,)
    assert str([GOOD_TAP]) in report.sentence


def untrained(path: Path, name: str = "") -> Path:
    """Random weights in the chain's file."""
    layout, weights, _ = read_drafter(write_chain(path / "right"))
    mx.random.seed(0)
    drawn = {k: mx.random.normal(w.shape) for k, w in weights.items()}
    save_drafter(path / "drawn", layout, drawn, about={"target": name} if name else {})
    return path / "drawn"


def test_an_untrained_drafter_tells_nothing(tmp_path: Path) -> None:
    report = check_pair(counting_target(), untrained(tmp_path))
    assert report.verdict == "can't tell"
    assert report.rounds == ROUNDS and report.readings[0].accepted_tokens < 0.2


def test_an_eagle3_head_has_no_rows_to_confuse(tmp_path: Path) -> None:
    """Its taps are those of a target of 12 layers, since its file names none."""
    fields = {**body(1, 8), "model_type": "llama", "architectures": ["LlamaForCausalLMEagle3"]}
    layer = {
        "hidden_norm": (H,),
        "input_layernorm": (H,),
        "post_attention_layernorm": (H,),
        **{f"self_attn.{name}_proj": (H, 2 * H) for name in "qkv"},
        "self_attn.o_proj": (H, H),
        "mlp.gate_proj": (8, H),
        "mlp.up_proj": (8, H),
        "mlp.down_proj": (H, 8),
    }
    shapes = {f"midlayer.{name}": shape for name, shape in layer.items()}
    shapes |= {"fc": (H, 3 * H), "norm": (H,), "lm_head": (V, H)}
    mx.random.seed(1)
    mx.save_safetensors(
        str(tmp_path / "model.safetensors"), {f"{n}.weight": mx.random.normal(s) for n, s in shapes.items()}
    )
    (tmp_path / "config.json").write_text(json.dumps(fields))
    report = check_pair(counting_target(), tmp_path)
    assert report.verdict == "can't tell"
    assert [r.taps for r in report.readings] == [(1, 5, 8), (0, 4, 7), (2, 6, 9)]


def test_a_drafter_that_names_another_target(tmp_path: Path) -> None:
    report = check_pair(counting_target(), untrained(tmp_path, "someone/sorter"))
    assert report.verdict == "not this target's"
    assert "someone/sorter" in report.sentence


def test_naming_this_target_is_no_proof(tmp_path: Path) -> None:
    assert check_pair(counting_target(), untrained(tmp_path, "someone/counter")).verdict == "can't tell"


@pytest.mark.parametrize(
    ("target", "changes", "says"),
    [
        ({"layers": 11}, {}, "12 layers"),
        ({"layers": 10}, {"num_target_layers": None}, f"layer {GOOD_TAP}"),
        ({"width": 96}, {}, "96"),
    ],
)
def test_another_target(target: dict[str, Any], changes: dict[str, Any], says: str, tmp_path: Path) -> None:
    path = write_chain(tmp_path, **changes)
    report = check_pair(counting_target(**target), path)
    assert (report.verdict, report.rounds) == ("refused", 0)
    assert any(says in problem for problem in report.problems)
    assert all(problem.endswith(".") for problem in report.problems)


def test_another_vocabulary(tmp_path: Path) -> None:
    target = counting_target()
    from msgspec import structs

    target.facts = structs.replace(target.facts, vocabulary=V + 2)
    report = check_pair(target, write_chain(tmp_path))
    assert report.verdict == "refused" and f"{V} tokens" in report.sentence and f"{V + 2}" in report.sentence


def test_a_mask_that_ends_turns(tmp_path: Path) -> None:
    target = counting_target()
    target.tokenizer.eos_token_ids = (MASK,)  # type: ignore[misc]
    report = check_pair(target, write_chain(tmp_path))
    assert report.verdict == "refused" and "mask" in report.sentence


def test_a_text_that_ends_at_once(tmp_path: Path) -> None:
    """The prompt ends with a full stop, token 14; the target's fourth token ends its turn."""
    target = counting_target()
    target.tokenizer.eos_token_ids = ((14 + 4 * 5) % V,)  # type: ignore[misc]
    report = check_pair(target, write_chain(tmp_path))
    assert report.verdict == "can't tell" and "4 tokens" in report.sentence


def test_a_checkpoint_that_can_not_be_read_is_a_report_too(tmp_path: Path) -> None:
    assert check_pair(counting_target(), tmp_path / "nowhere").verdict == "refused"
    path = checkpoint(tmp_path / "odd", "z-lab, block at the top", some_new_gate=1)
    report = check_pair(counting_target(), path)
    assert report.verdict == "refused" and "'some_new_gate'" in report.sentence
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(
        json.dumps({**config, "architectures": ["Qwen3ForCausalLM"], "dflash_config": None})
    )
    assert "no drafter" in check_pair(counting_target(), path).sentence


def test_the_text_form(tmp_path: Path) -> None:
    text = report_text(check_pair(counting_target(), write_reader(tmp_path, tap=GOOD_TAP + 1)))
    first, second, *rest = text.splitlines()
    assert first.endswith("wrong taps") and second.endswith("Use that reading.")
    assert any("as declared" in line and "0.00 kept" in line for line in rest)
    assert any("taps one layer lower" in line and "1.00 kept" in line for line in rest)


def tried(*kept: int) -> Tried:
    return Tried("x", 1, (1,), kept, tuple(k > 0 for k in kept), (0,) * len(kept))


def test_what_may_be_chance_is_not_called_better() -> None:
    even = tried(*[1, 1] * 16)
    assert beats(tried(*[2, 2] * 16), even)
    assert not beats(even, even)
    # Two fifths of a token more on average, but by three places of 32 alone.
    assert not beats(tried(*[7] * 3, *[0] * 5, *[1] * 24), even)
    # Agreed on by all places, and yet too little to matter.
    assert not beats(tried(2, 2, *[1] * 30), even)


def test_the_better_reading_is_kept_as_a_copy_that_fits(tmp_path: Path) -> None:
    """Taps that are off by one, in a public file: the copy in our own format is read as it was trained."""
    found = check_pair(counting_target(), write_reader(tmp_path / "wrong", tap=GOOD_TAP + 1)).use
    assert found is not None
    save_reading(tmp_path / "wrong", found, tmp_path / "right")
    assert check_pair(counting_target(), tmp_path / "right").verdict == "fits"
    with pytest.raises(ModelError, match="is there already"):
        save_reading(tmp_path / "wrong", found, tmp_path / "right")


def test_a_public_checkpoint_is_packed_once_when_an_arm_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLIPSTREAM_HOME", str(tmp_path / "home"))
    path = write_chain(tmp_path / "public")
    loaded = load_tapped(str(path), counting_target())
    assert loaded is not None and loaded.facts.bits == 4 and loaded.facts.name == "public"
    (copy,) = (tmp_path / "home").rglob("*-4bit-*/model.safetensors")
    made = copy.stat().st_mtime_ns
    assert packed_copy(path) == copy.parent and copy.stat().st_mtime_ns == made
    # Ours stay as they are: a copy of 16 bits is how to keep a checkpoint's precision.
    kept = quantize_drafter(path, tmp_path / "kept", bits=16)
    assert packed_copy(kept) == kept
    full = load_tapped(str(kept), counting_target())
    assert full is not None and full.facts.bits == 0


@pytest.mark.parametrize("head", ["B direct", "B reader", "A recurrent", "E anchor-first"])
def test_drafters_of_our_own_shapes_are_tried(head: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Direct rows each have a reading of their own: no other row is tried, and none breaks the check."""
    from mlx.utils import tree_flatten

    from engine.drafters.formats.tensors import build
    from tests.engine.drafters.blocks import layout, randomise
    from tests.tiny import tiny_target

    y = layout(head)
    model = build(y)
    randomise(model, 1)
    save_drafter(tmp_path / "drafter", y, dict(tree_flatten(model.parameters())))
    target = tiny_target("dense", seed=5)
    monkeypatch.setattr(target.tokenizer, "eos_token_ids", (), raising=False)
    report = check_pair(target, tmp_path / "drafter", rounds=8)
    assert report.verdict != "refused" and report.rounds == 8
    rows = {r.first_row for r in report.readings}
    assert rows == ({0} if y.direct else {0, 1})
