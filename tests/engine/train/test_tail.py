"""A drafter that begins as its target's last layers: those are the target's, the guess is what least squares say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.drafters.backbone import Given, Model
from engine.drafters.borrow import Borrowed, borrow
from engine.target import Target
from engine.train import tail
from engine.train.batches import batch_at
from engine.train.conversations import Conversations, conversation
from engine.train.forward import Material, block_features, inputs_of, tap_scale
from engine.train.labels import draft_index, final_norm
from engine.train.layouts import LAYERS, TAIL_LAYERS, layout_for
from engine.train.loop import learnable
from engine.train.taps import RecomputedTaps, Taps, fill_taps, open_taps
from tests.engine.train.trainees import conversations
from tests.tiny import VOCABULARY, tiny_target

GAMMA = 3
DEPTH = 10
KINDS = ("dense", "qk-norm", "biases", "packed")


def target_of(kind: str = "dense", spread: float = 0.4) -> Target:
    """Ten layers, norms that are not all ones, biases that are seen."""
    target = tiny_target("dense" if kind == "packed" else kind, seed=4, layers=DEPTH)
    mx.random.seed(6)
    for name, module in target.model.named_modules():
        if "norm" in name.rpartition(".")[2] and "weight" in module:
            module.weight = 1 + 0.3 * mx.random.normal(module.weight.shape)
        elif "bias" in module and "weight" in module:
            module.bias = mx.random.normal(module.bias.shape)
        elif "weight" in module and ".layers." in name:
            module.weight = module.weight * (spread / 0.4)
    if kind == "packed":
        nn.quantize(target.model, group_size=32, bits=4)
    mx.eval(target.model.parameters())
    return target


def material_of(target: Target, c: Conversations, layout: Any, taps: Taps | None = None) -> Material:
    found = taps or RecomputedTaps(layout.taps, target, c)
    index = draft_index(np.arange(VOCABULARY, dtype=np.int32), VOCABULARY)
    return Material(c, found, tap_scale(found, c), index, final_norm(target))


def begun(
    target: Target, c: Conversations, layers: int = 2, **changes: Any
) -> tuple[Model, Borrowed, Material, NDArray[Any]]:
    layout = layout_for(target, "B", GAMMA, VOCABULARY, layers, **{"mask_id": 63, **changes})
    assert layout.reader
    mx.random.seed(3)
    model = Model(layout)
    borrowed, material = borrow(layout, model, target), material_of(target, c, layout)
    among = learnable(material)
    tail.begin_with_tail(model, borrowed, material, among, target)
    return model, borrowed, material, among


def outputs(target: Target, text: list[int], layers: tuple[int, ...]) -> tuple[mx.array, dict[int, mx.array]]:
    return target.forward(mx.array(text), target.make_caches(), layers)


TEXT = [5, 9, 30, 41, 22, 17, 3, 8, 50, 51, 12, 44]


@pytest.mark.parametrize("kind", KINDS)
def test_given_what_the_target_would_read_its_layers_say_what_it_says(kind: str) -> None:
    target = target_of(kind)
    model, borrowed, _, _ = begun(target, conversations(3), layers=3, intermediate_size=64)
    logits, found = outputs(target, TEXT, (DEPTH - 4,))
    x = found[DEPTH - 4]
    for layer in model.layers:
        x = layer(x, None, 0, "causal")
    ours = model.logits(model.norm(x)[0], borrowed.head)
    assert mx.abs(ours - logits).max().item() < 1e-2 * mx.abs(logits).max().item()
    assert mx.argmax(ours, axis=-1).tolist() == mx.argmax(logits, axis=-1).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_a_block_over_the_true_context_is_the_target(kind: str) -> None:
    """One layer, all the way through the drafter: ``fc`` gives that layer's own input, which is a tap, and rows are the
    true ones."""
    target = target_of(kind)
    taps = (4, DEPTH - 2, DEPTH - 1)
    model, borrowed, material, _ = begun(target, conversations(3), layers=1, intermediate_size=64, taps=taps)
    model.direct_proj.weight = mx.zeros_like(model.direct_proj.weight)
    logits, found = outputs(target, TEXT, taps)
    s = len(TEXT) - GAMMA
    h_ctx = model.context(mx.concatenate([found[tap][:, :s] for tap in taps], axis=-1) * mx.array(material.scale))
    contexts = [Given(*kv) for kv in model.context_keys_values(h_ctx, 0)]
    rows = found[DEPTH - 2][:, s:]
    hidden = model(rows, contexts, s, ["causal"], newest=mx.zeros((1, 1, 32))).hidden[0]
    assert mx.abs(model.logits(hidden, borrowed.head) - logits[s:]).max().item() < 1e-2 * mx.abs(logits).max().item()


# --- which targets have such layers ---


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", ["B", "E"])
def test_where_it_can_a_drafter_has_its_targets_layers(kind: str, scheme: str) -> None:
    y = layout_for(target_of(kind), scheme, GAMMA)
    assert (y.reader, y.direct, y.layers, y.causal) == (True, True, TAIL_LAYERS, (True,) * TAIL_LAYERS)
    assert (y.qk_norm, y.attention_bias) == (kind == "qk-norm", kind == "biases")


class Doubled(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def __call__(self, *args: Any) -> mx.array:
        return 2 * self.inner(*args)


def other_norm(target: Target) -> None:
    target.model.layers[-2].input_layernorm = nn.LayerNorm(32)


def other_final_norm(target: Target) -> None:
    target.model.model.norm = nn.LayerNorm(32)


def other_rope(target: Target) -> None:
    target.model.layers[-2].self_attn.rope = nn.RoPE(8, traditional=True)


def no_rope(target: Target) -> None:
    target.model.layers[-1].self_attn.rope = lambda x, offset=0: x


def other_mlp(target: Target) -> None:
    target.model.layers[-1].mlp = Doubled(target.model.layers[-1].mlp)


def biased_mlp(target: Target) -> None:
    target.model.layers[-1].mlp.down_proj.bias = mx.full((32,), 1e-4)


def scaled_logits(target: Target) -> None:
    norm = target.model.model.norm
    target.model.model.norm = Doubled(norm)


CHANGES = (other_norm, other_final_norm, other_rope, no_rope, other_mlp, biased_mlp, scaled_logits)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_layer_of_another_kind_is_told(change: Any) -> None:
    target = target_of()
    change(target)
    y = layout_for(target, "B", GAMMA)
    assert (y.reader, y.direct, y.layers, y.qk_norm, y.attention_bias) == (False, True, LAYERS, True, False)


@pytest.mark.parametrize("kind", ["sliding", "gated-delta", "short-convolution"])
def test_targets_of_other_architectures_keep_the_old_shape(kind: str) -> None:
    y = layout_for(tiny_target(kind, layers=DEPTH), "B", GAMMA)
    assert (y.reader, y.direct, y.layers) == (False, True, LAYERS)


def test_a_target_has_to_have_more_layers_than_the_drafter_and_a_tap_below_them() -> None:
    shallow = tiny_target("dense", layers=6)  # its first tap is the third layer's output
    assert layout_for(shallow, "B", GAMMA).reader is False
    assert layout_for(shallow, "B", GAMMA, layers=4).reader is False
    assert layout_for(shallow, "B", GAMMA, layers=3).reader is True


# --- the guess ---


def ridge(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """Least squares with so much more asked: coefficients near nothing."""
    size = x.shape[1]
    root = np.sqrt((x**2).sum() / size * tail.RIDGE)
    more = np.concatenate([x, root * np.eye(size)]), np.concatenate([y, np.zeros((size, y.shape[1]))])
    return np.linalg.lstsq(*more, rcond=None)[0]


def far(a: NDArray[Any], b: NDArray[Any]) -> float:
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


@pytest.mark.parametrize("rows", ["anchor-first", "fill-in"])
def test_the_guess_is_the_least_squares_solution(rows: str) -> None:
    target = target_of()
    layers = 4
    model, borrowed, material, among = begun(target, conversations(60), layers, rows=rows, embedding_scale=1.5)
    y, at = model.layout, DEPTH - layers - 1
    assert at not in y.taps, "layers between the tap and the guess are run"
    befores, anchors, wanted, whole, streams = [], [], [], [], []
    for i in among:
        text = conversation(material.conversations, int(i)).astype(int).tolist()
        found = outputs(target, text, (*y.taps, at))[1]
        first, last = int(material.conversations.starts[i]), len(text) - GAMMA
        taps = np.concatenate([np.array(found[tap][0]) for tap in y.taps], axis=1) * material.scale
        out = np.array(found[at][0])
        befores.append(taps[first - 1 : last - 1])
        anchors.append(np.array(borrowed.embed(mx.array(text[first:last]))))
        wanted.append(np.stack([out[first + k : last + k] for k in range(GAMMA)], axis=1))
        whole.append(taps)
        streams.append(out)
    before, anchor = (np.concatenate(parts) for parts in (befores, anchors))
    true = np.concatenate(wanted)
    table = np.array(borrowed.embed(mx.arange(VOCABULARY)))
    x = np.concatenate([before, anchor / np.sqrt((table**2).mean())], axis=1).astype(np.float64)

    taken = model.newest(mx.array(before), mx.zeros((1,)))
    both = mx.concatenate([mx.array(anchor), taken], axis=1)[:, None]
    guess = np.array(model.read(both, y.block_rows)).astype(np.float64)
    if rows == "anchor-first":
        guess[:, 0] += anchor * 1.5  # the row's own embedding
    else:
        assert not guess[:, 0].any()
        guess = guess[:, 1:]
    assert far(guess[:, 0], x @ ridge(x, true[:, 0])) < 0.05
    # Places further behind make the best of the same reading.
    z = np.concatenate([anchor, np.array(taken)], axis=1).astype(np.float64)
    for k in range(GAMMA):
        best = z @ np.linalg.lstsq(z, true[:, k], rcond=None)[0]
        assert np.linalg.norm(guess[:, k] - true[:, k]) < 1.01 * np.linalg.norm(best - true[:, k])
    # A guess that knows nothing of the text is farther from the truth.
    mean = true.mean(axis=0, keepdims=True)
    assert np.linalg.norm(guess[:, 0] - true[:, 0]) < 0.9 * np.linalg.norm(mean[:, 0] - true[:, 0])
    # The context: what the layers between add to the nearest tap, of every token there is.
    tokens, stream = np.concatenate(whole).astype(np.float64), np.concatenate(streams).astype(np.float64)
    nearest = y.taps.index(max(tap for tap in y.taps if tap < at)) * 32
    below = (tokens / material.scale)[:, nearest : nearest + 32]
    added = np.array(model.fc(mx.array(tokens))) - below
    assert far(added, tokens @ ridge(tokens, stream - below)) < 0.05


def test_taps_on_disk_and_taps_that_are_computed_anew_begin_alike(tmp_path: Path) -> None:
    target, c = target_of(), conversations(8)
    layout = layout_for(target, "B", GAMMA, VOCABULARY, 2)
    cache = open_taps(tmp_path, "train", c, layout.taps, 32, target.facts.name)
    assert fill_taps(cache, target, c)
    begun_with = []
    for taps in (cache, RecomputedTaps(layout.taps, target, c)):
        mx.random.seed(3)
        model = Model(layout)
        material = material_of(target, c, layout, taps)
        tail.begin_with_tail(model, borrow(layout, model, target), material, learnable(material), target)
        begun_with.append(np.array(model.layers[1].mlp.down_proj.weight))
    assert far(*begun_with) < 0.02


# --- neurons ---


def test_all_neurons_are_not_chosen_from() -> None:
    theirs = target_of().model.layers[-1]
    assert tail.choose_neurons(theirs, [mx.random.normal((1, 9, 32))], 64) is None


def test_fewer_neurons_say_more_than_those_that_are_merely_left() -> None:
    target = target_of()
    theirs = target.model.layers[-1]
    _, found = outputs(target, [int(t) for t in conversations(30).tokens], (DEPTH - 2,))
    x = found[DEPTH - 2]
    learned, held = x[:, :500], x[:, 500:]
    neurons = tail.choose_neurons(theirs, [learned[:, :200], learned[:, 200:]], 24)
    assert neurons is not None
    kept = np.array(neurons.kept)
    assert len(kept) == 24 and (np.diff(kept) > 0).all() and neurons.down.shape == (32, 24)
    h = held + theirs.self_attn(theirs.input_layernorm(held), "causal", None)
    z = theirs.post_attention_layernorm(h)[0]
    mlp = theirs.mlp
    acts = np.array(nn.silu(mlp.gate_proj(z)) * mlp.up_proj(z))
    down, said = np.array(mlp.down_proj.weight), np.array(mlp(z))
    fitted = np.linalg.norm(acts[:, kept] @ np.array(neurons.down).T - said)
    cut = np.linalg.norm(acts[:, kept] @ down[:, kept].T - said)
    power = (acts**2).mean(axis=0) * (down**2).sum(axis=0)
    least = np.argsort(power)[:24]
    assert fitted < 0.98 * cut < np.linalg.norm(acts[:, least] @ down[:, least].T - said)


def test_neurons_are_chosen_by_so_many_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more conversations are read than have those places, though they are short."""
    target, c = target_of(), conversations(12)
    seen: list[int] = []
    real = tail.choose_neurons

    def choose(theirs: Any, streams: Any, size: int) -> Any:
        seen.append(sum(x.shape[1] for x in streams))
        return real(theirs, streams, size)

    monkeypatch.setattr(tail, "choose_neurons", choose)
    monkeypatch.setattr(tail, "MLP_ROWS", 128)
    begun(target, c)
    two = sorted(np.diff(c.offsets))[-2:]
    assert len(set(seen)) == 1 and 0 < seen[0] <= sum(two), "128 places are looked for in two conversations"


# --- what it is good for ---


def test_first_drafts_are_right_more_often_than_at_random() -> None:
    """On text that the drafter has not begun with, of the target's own choices."""
    target = target_of("qk-norm", spread=0.1)  # of which a linear guess knows something
    learned, held = conversations(80), conversations(20, seed=9)
    model, borrowed, material, _ = begun(target, learned, layers=4)
    other = Model(model.layout)
    right = {}
    for name, one in (("tail", model), ("random", other)):
        here = Material(held, RecomputedTaps(model.layout.taps, target, held), material.scale, material.index)
        batch = batch_at(held, learnable(here), 0, 20, 8, 0)
        x = inputs_of(here, borrowed, batch, GAMMA)
        said = np.array(mx.argmax(borrowed.head(block_features(one, borrowed, x).hidden), axis=-1)).reshape(-1, GAMMA)
        places = np.array(x.blocks[0].anchors)
        logits = target.model(x.tokens)
        choices = np.take_along_axis(np.array(mx.argmax(logits, axis=-1)), places, axis=1).reshape(-1)
        right[name] = float((said[:, 0] == choices).mean())
    assert right["tail"] > 0.3 + right["random"]
