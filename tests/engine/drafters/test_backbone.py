"""The backbone against the formulas written out in NumPy, row by row, head by head; batches against single blocks."""

from __future__ import annotations

from functools import partial
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine.drafters import eagle
from engine.drafters.backbone import Given, Model, block_mask
from engine.drafters.block import Block, BlockDrafter
from engine.drafters.borrow import Borrowed, borrow, find, hidden_size
from engine.drafters.dflash2 import DynamicConv
from engine.drafters.eagle import EagleDrafter
from engine.drafters.layout import Cascade, Layout
from engine.models.errors import ModelError
from engine.sampling import Sampler
from engine.trace.events import Settings
from tests.engine.drafters.blocks import HEADS, MASK, block, drafter, layout, randomise
from tests.tiny import VOCABULARY, tiny_target

TARGET = tiny_target("dense", seed=5)
TEXT = [5, 9, 30, 41, 22, 17, 3, 8, 50, 51, 12, 44]
ANCHOR = 33


def n(a: mx.array) -> np.ndarray:
    return np.array(a.astype(mx.float32), np.float64)


def rms(x: np.ndarray, weight: np.ndarray | float, eps: float) -> np.ndarray:
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * weight


def rope(x: np.ndarray, position: int, theta: float) -> np.ndarray:
    """One head's vector, halves turned against each other."""
    half = x.shape[-1] // 2
    angle = position * theta ** (-np.arange(half) / half)
    a, b = x[:half], x[half:]
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)])


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max())
    return e / e.sum()


def silu(x: np.ndarray) -> np.ndarray:
    return x / (1 + np.exp(-x))


def conv(x: np.ndarray, dynamic: np.ndarray, base: np.ndarray, group: int) -> np.ndarray:
    out = np.zeros_like(x)
    for t in range(len(x)):
        for o in range(len(base)):
            if t >= o:
                out[t] += (base[o] + np.repeat(dynamic[t, o], group)) * x[t - o]
    return out


def reference(model: Model, y: Layout, taps: np.ndarray, rows: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Final-norm features of all rows. taps [s, taps x H], rows [R, H] unscaled embeddings, table [V, H]."""
    eps, s = y.rms_norm_eps, len(taps)
    h_ctx = rms(taps @ n(model.fc.weight).T, n(model.hidden_norm.weight), eps)
    x = rows * y.embedding_scale
    if y.direct:
        newest = n(model.reader.weight) @ taps[-1] if y.reader else h_ctx[-1]
        read = n(model.direct_proj.weight) @ np.concatenate([rows[0], newest])
        x = x + read.reshape(y.block_rows, -1)[: len(x)]
    for index, layer in enumerate(model.layers):
        if y.cascade and index:
            x = x + injection(model, y, index, x, rows[0], table)
        attend = partial(attention, layer.self_attn, y, index, h_ctx, s)
        a = rms(x, n(layer.input_layernorm.weight), eps)
        x = x + around(layer, "attention_conv", a, attend, y)
        a = rms(x, n(layer.post_attention_layernorm.weight), eps)
        x = x + around(layer, "mlp_conv", a, partial(mlp, layer.mlp), y)
    return rms(x, n(model.norm.weight), eps)


def around(layer: Any, name: str, a: np.ndarray, sublayer: Any, y: Layout) -> np.ndarray:
    if not y.dflash2:
        return sublayer(a)
    c: DynamicConv = layer[name]
    group, kernel = y.dflash2.conv_group, y.dflash2.conv_kernel
    dynamic = (a @ n(c.kernel_projection.weight).T).reshape(len(a), 2, kernel, y.hidden_size // group)
    base = n(c.base_kernel)
    return conv(sublayer(conv(a, dynamic[:, 0], base[0], group)), dynamic[:, 1], base[1], group)


def mlp(w: Any, a: np.ndarray) -> np.ndarray:
    return (silu(a @ n(w.gate_proj.weight).T) * (a @ n(w.up_proj.weight).T)) @ n(w.down_proj.weight).T


def attention(w: Any, y: Layout, index: int, h_ctx: np.ndarray, s: int, a: np.ndarray) -> np.ndarray:
    eps, d, theta = y.rms_norm_eps, y.head_dim, y.rope.theta
    out = np.zeros((len(a), y.heads * d))
    sources = [*((t, h_ctx[t]) for t in range(s)), *((s + k, a[k]) for k in range(len(a)))]
    for head in range(y.heads):
        shared = head // (y.heads // y.kv_heads)
        wq = n(w.q_proj.weight)[head * d : (head + 1) * d]
        wk, wv = (n(p.weight)[shared * d : (shared + 1) * d] for p in (w.k_proj, w.v_proj))
        keys = [(at, rope(rms(wk @ x, n(w.k_norm.weight), eps), at, theta), wv @ x) for at, x in sources]
        for k in range(len(a)):
            query = rope(rms(wq @ a[k], n(w.q_norm.weight), eps), s + k, theta)
            seen = [(key, value) for at, key, value in keys if visible(y, index, s, k, at)]
            weights = softmax(np.array([query @ key for key, _ in seen]) / np.sqrt(d))
            out[k, head * d : (head + 1) * d] = sum(p * value for p, (_, value) in zip(weights, seen, strict=True))
    return out @ n(w.o_proj.weight).T


def visible(y: Layout, index: int, s: int, k: int, at: int) -> bool:
    window = y.window(index)
    if at >= s:
        return at <= s + k or not y.is_causal(index)
    if not window:
        return True
    return s + k - at < window if y.window_rule == "per-query" else at >= s - window


def forming(model: Model, y: Layout, index: int, x: np.ndarray, anchor: np.ndarray, table: np.ndarray) -> np.ndarray:
    lens = model.cascade.lenses[index - 1]
    f = rms(x, n(lens.norm.weight), y.rms_norm_eps) @ n(lens.down.weight).T @ n(lens.up.weight).T
    if y.rows == "fill-in":
        f[0] = anchor
    return rms(f, 1.0, y.rms_norm_eps) * np.sqrt((table**2).mean())


def injection(model: Model, y: Layout, index: int, x: np.ndarray, anchor: np.ndarray, table: np.ndarray) -> np.ndarray:
    cascade, given = model.cascade, np.zeros_like(x)
    assert y.cascade is not None
    if y.cascade.injected >= 0 and index > y.cascade.injected:
        return given
    e = rms(forming(model, y, index, x, anchor, table), n(cascade.injection_norm.weight), y.rms_norm_eps)
    up, down = n(cascade.injection.up.weight), n(cascade.injection.down.weight)
    for k in range(1, len(x)):
        given[k] = n(cascade.injection_scales)[index - 1] * (up @ (down @ e[k - 1]))
    return given


CASES: dict[str, dict[str, Any]] = {
    "B": {},
    "B per-anchor": {"window_rule": "per-anchor"},
    "B anchor-first": {"rows": "anchor-first", "embedding_scale": 1.7},
    "B direct": {"embedding_scale": 1.7},
    "B reader": {"embedding_scale": 1.7},
    "E reader": {"direct": True, "reader": True},
    "B small windows": {"windows": (3, 5, 2), "causal": (True, False, False)},
    "D": {},
    "E": {},
    "E anchor-first": {},
    "E one injection": {"cascade": Cascade(lens_rank=8, transition_rank=8, injected=1)},
    "E no injection": {"cascade": Cascade(lens_rank=8, transition_rank=8, injected=0)},
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("width", [1, 6])
def test_features_equal_the_formulas(case: str, width: int) -> None:
    head = case if case in HEADS else case[0]
    y = layout(head, **CASES[case])
    shared = block(TARGET, y, spread=0.2)
    inner = BlockDrafter(shared)
    _, taps = TARGET.forward(mx.array(TEXT), TARGET.make_caches(), inner.taps)
    for start in range(0, len(TEXT), 5):
        inner.observe(TEXT[start : start + 5], {layer: tap[:, start : start + 5] for layer, tap in taps.items()})
        inner.catch_up()
    table = n(TARGET.model.model.embed_tokens.weight)
    ids = [ANCHOR, *[MASK] * (y.rows_for(width) - 1)]
    expected = reference(shared.model, y, np.concatenate([n(taps[t])[0] for t in y.taps], -1), table[ids], table)
    masks = [block_mask(y, i, len(ids), cache.seen) for i, cache in enumerate(inner.caches)]
    rows = TARGET.model.model.embed_tokens(mx.array(ids))[None]
    rms_of_table, newest = shared.borrowed.embedding_rms, inner.newest
    found = shared.model(rows, inner.caches, len(TEXT), masks, rms_of_table, newest=newest).hidden[0]
    assert found.shape == (width, 32)
    assert np.allclose(n(found), expected[-width:], atol=2e-3)


def test_a_cascade_that_injects_differs_from_one_that_does_not() -> None:
    drafts = []
    for injected in (0, 1, 2):
        y = layout("E", cascade=Cascade(lens_rank=8, transition_rank=8, injected=injected))
        shared = block(TARGET, y)
        drafts.append(shared.model(mx.ones((1, 7, 32)), [None] * 3, 0, [None] * 3).hidden)
    assert not mx.allclose(drafts[0], drafts[1]).item() and not mx.allclose(drafts[1], drafts[2]).item()


def test_an_arm_may_inject_into_fewer_layers_of_shared_weights() -> None:
    """The setting reaches the model, and -1 leaves it to the checkpoint."""
    as_trained = {
        n: block(TARGET, layout("E", cascade=Cascade(lens_rank=8, transition_rank=8, injected=n))) for n in (0, 1, -1)
    }

    def drafts(shared: Block, injected: int) -> list[int]:
        inner = BlockDrafter(shared)
        _, taps = TARGET.forward(mx.array(TEXT), TARGET.make_caches(), inner.taps)
        inner.observe(TEXT, taps)
        features = inner.draft(ANCHOR, 6, Sampler(Settings(injected_layers=injected)))
        return np.array(features.tokens).tolist()

    for asked in (0, 1):
        assert drafts(as_trained[-1], asked) == drafts(as_trained[asked], -1)
    assert drafts(as_trained[-1], 0) != drafts(as_trained[-1], -1)


@pytest.mark.parametrize("head", [head for head in HEADS if head[0] != "A"])
def test_a_batch_of_blocks_equals_them_one_by_one(head: str) -> None:
    """As in training: anchors of one text are a batch, each with its own offset and mask over the same context."""
    y = layout(head)
    model = block(TARGET, y).model
    anchors, rows, length = [2, 5, 9], y.block_rows, len(TEXT)
    mx.random.seed(3)
    taps = mx.random.normal((1, length, y.fc_size))
    h_ctx = model.context(taps)
    context = model.context_keys_values(h_ctx, 0)
    x = mx.random.normal((3, rows, 32))
    positions = mx.arange(length)
    masks = []
    for layer in range(y.layers):
        per_anchor = []
        for anchor in anchors:
            k = mx.arange(rows)[:, None]
            old = mx.broadcast_to(positions[None] < anchor, (rows, length))
            if y.window(layer):
                old = old & (anchor + k - positions[None] < y.window(layer))
            own = mx.arange(rows)[None] <= k if y.is_causal(layer) else mx.ones((rows, rows), mx.bool_)
            per_anchor.append(mx.concatenate([old, own], axis=1))
        masks.append(mx.stack(per_anchor)[:, None])
    newest = model.newest(taps, h_ctx)[0, mx.array(anchors) - 1][:, None]
    batch = model(x, [Given(*kv) for kv in context], mx.array(anchors), masks, 1.3, newest=newest)
    for i, anchor in enumerate(anchors):
        seen = [anchor if not y.window(j) else min(anchor, y.visible(j)) for j in range(y.layers)]
        own = [
            Given(k[:, :, anchor - s : anchor], v[:, :, anchor - s : anchor])
            for (k, v), s in zip(context, seen, strict=True)
        ]
        own_masks = [block_mask(y, j, rows, s) for j, s in enumerate(seen)]
        single = model(x[i : i + 1], own, anchor, own_masks, 1.3, newest=newest[i : i + 1])
        assert mx.allclose(batch.hidden[i], single.hidden[0], atol=1e-4).item()
        if single.expected is not None and batch.expected is not None:
            assert mx.allclose(batch.expected[i], single.expected[0], atol=1e-4).item()
            assert len(batch.forming) == y.layers and batch.forming[0].shape == x.shape


def test_gradients_reach_every_parameter() -> None:
    """What training needs: nothing on the way from parameters to logits stops a gradient."""
    from mlx.utils import tree_flatten

    for head in ("B", "B reader", "D", "E", "C rnn"):
        y = layout(head)
        shared = block(TARGET, y)
        model = shared.model

        def loss(p: Any, model: Model = model, borrowed: Borrowed = shared.borrowed, y: Layout = y) -> mx.array:
            model.update(p)
            taps = mx.broadcast_to(mx.arange(4)[None, :, None], (1, 4, y.fc_size))
            h_ctx = model.context(taps)
            context = model.context_keys_values(h_ctx, 0)
            newest = mx.broadcast_to(model.newest(taps, h_ctx)[:, -1:], (2, 1, 32))
            x = borrowed.embed(mx.array([[1] + [MASK] * (y.block_rows - 1)] * 2))
            contexts = [Given(*kv) for kv in context]
            features = model(x, contexts, 4, [None] * 3, borrowed.embedding_rms, newest=newest)
            total = mx.square(model.logits(features.hidden, borrowed.head)).sum()
            ids = mx.broadcast_to(mx.arange(6), features.hidden.shape[:2])
            if y.dflash2:
                pairs = model.candidate_selector.scores(features.hidden, ids[..., None], ids[..., None])
                total = total + mx.square(pairs).sum()
            if y.cascade and features.expected is not None:
                e = borrowed.embed(ids)[..., None, :]
                total = total + mx.square(model.cascade.scores(features.hidden, e, e, features.expected)).sum()
            if y.markov:
                bias, _ = model.markov_head(ids, features.hidden, model.markov_head.start(features.hidden))
                total = total + mx.square(bias).sum()
            return total

        gradients = mx.grad(loss)(model.trainable_parameters())
        zero = [name for name, g in tree_flatten(gradients) if not mx.any(g != 0).item()]
        assert [name for name in zero if "confidence" not in name] == []


# --- EAGLE-3 ---


@pytest.mark.parametrize("norm_before_residual", [False, True])
@pytest.mark.parametrize("norm_before_fc", [False, True])
def test_an_eagle_head_equals_a_forward_over_the_whole_text(norm_before_residual: bool, norm_before_fc: bool) -> None:
    """Each draft from nothing: all places from the first one, no cache, causal."""
    from engine.drafters.layout import Eagle

    y = layout("A", eagle=Eagle(norm_before_residual=norm_before_residual, norm_before_fc=norm_before_fc))
    inner = drafter(TARGET, y)
    assert isinstance(inner, EagleDrafter)
    model, borrowed = inner.eagle.model, inner.eagle.borrowed
    _, taps = TARGET.forward(mx.array(TEXT), TARGET.make_caches(), inner.taps)
    for start in range(0, len(TEXT), 5):
        inner.observe(TEXT[start : start + 5], {layer: tap[:, start : start + 5] for layer, tap in taps.items()})
    draft, again = (inner.propose(ANCHOR, 5, Sampler(Settings(temperature=9.0))) for _ in range(2))
    assert draft.tokens.tolist() == again.tokens.tolist()
    greedy = inner.propose(ANCHOR, 5, Sampler(Settings())).tokens.tolist()

    for tokens, q in ((draft.tokens.tolist(), draft.q), (greedy, None)):
        hidden = model.context(mx.concatenate([taps[t] for t in y.taps], axis=-1))
        text = [*TEXT[1:], ANCHOR]
        for k, token in enumerate(tokens):  # type: ignore[arg-type]
            out = model(borrowed.embed(mx.array(text))[None], hidden, None, 0, "causal")[:, -1:]
            logits = borrowed.head(model.norm(out))[0, 0]
            if q is None:
                assert token == mx.argmax(logits).item()
            else:
                assert mx.allclose(q[k], mx.softmax(logits / 9), atol=1e-4).item()
            hidden = mx.concatenate([hidden, out], axis=1)
            text.append(token)
    assert len({tuple(row) for row in draft.q.tolist()}) == 5  # type: ignore[union-attr]


# --- what is borrowed ---


def test_nothing_is_copied_but_the_rows_of_a_reduced_vocabulary() -> None:
    embedding, head = find(TARGET)
    assert embedding is head is TARGET.model.model.embed_tokens
    y = layout("B")
    model = Model(y)
    borrowed = borrow(y, model, TARGET)
    assert borrowed.embed is embedding and borrowed.gathered_bytes == 0
    h = mx.random.normal((4, 32))
    assert mx.array_equal(borrowed.head(h), h @ embedding.weight.T).item()
    reduced = layout("B", draft_vocabulary=10)
    model = Model(reduced)
    model.draft_ids = mx.array([3, 60, 1, 7, 8, 9, 11, 20, 30, 2])
    borrowed = borrow(reduced, model, TARGET)
    assert mx.allclose(borrowed.head(h), (h @ embedding.weight.T)[:, model.draft_ids]).item()
    assert borrowed.to_target(mx.array([1, 0])).tolist() == [60, 3]
    assert borrowed.gathered_bytes == 10 * 32 * 4


def test_a_quantised_tied_head_is_used_as_it_is() -> None:
    import mlx.nn as nn

    target = tiny_target("dense", seed=5)
    nn.quantize(target.model, group_size=32, bits=4)
    embedding, _ = find(target)
    assert isinstance(embedding, nn.QuantizedEmbedding) and hidden_size(embedding) == 32
    h = mx.random.normal((4, 32))
    whole = borrow(layout("B"), Model(layout("B")), target)
    assert mx.allclose(whole.head(h), embedding.as_linear(h)).item()
    y = layout("E", draft_vocabulary=10)
    model = Model(y)
    model.draft_ids = mx.arange(10, 20)
    some = borrow(y, model, target)
    assert mx.allclose(some.head(h), embedding.as_linear(h)[:, 10:20], atol=1e-5).item()
    dense = mx.dequantize(embedding.weight, embedding.scales, embedding.biases, 32, 4)
    assert abs(some.embedding_rms - float(mx.sqrt(mx.square(dense).mean()).item())) < 1e-5


def test_what_does_not_fit_is_refused() -> None:
    wide = layout("B", hidden_size=64)
    with pytest.raises(ModelError, match="64 wide, tiny dense is 32"):
        borrow(wide, Model(wide), TARGET)
    deep = layout("B", taps=(0, 2))
    with pytest.raises(ModelError, match="reads layer 2 of its target, but tiny dense has only 2"):
        borrow(deep, Model(deep), TARGET)


def test_logits_are_scaled_and_capped() -> None:
    y = layout("B", logit_multiplier=0.5, logit_softcap=3.0)
    shared = block(TARGET, y)
    h = mx.random.normal((2, 32))
    expected = 3 * np.tanh(n(shared.borrowed.head(h)) * 0.5 / 3)
    assert np.allclose(n(shared.model.logits(h, shared.borrowed.head)), expected, atol=1e-5)


def test_parameters_are_named_as_in_public_checkpoints() -> None:
    from mlx.utils import tree_flatten

    blocks = [head for head in HEADS if head != "A"]
    names = {head: {name for name, _ in tree_flatten(Model(layout(head)).parameters())} for head in blocks}
    assert {"fc.weight", "hidden_norm.weight", "norm.weight", "layers.2.self_attn.q_norm.weight"} <= names["B"]
    assert {"markov_head.markov_w1.weight", "confidence_head.proj.bias"} <= names["C vanilla"]
    assert {"prefix_gru.weight_ih_l0", "embed_proj.0.weight", "embed_proj.2.weight"} <= names["C domino"]
    assert {"layers.0.attention_conv.base_kernel", "candidate_selector.predecessor_codebook"} <= names["D"]
    model = eagle.Model(layout("A"))
    randomise(model, 0)
    assert {"layers.0.hidden_norm.weight", "fc.weight"} <= {name for name, _ in tree_flatten(model.parameters())}
    assert model.layers[0].self_attn.q_proj.weight.shape == (32, 64)
    assert VOCABULARY == 64
