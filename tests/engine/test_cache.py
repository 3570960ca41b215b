"""The cache transaction: after any pattern of blocks and commits, the state is that of a run that never saw the
rejected rows.
"""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlx_lm.models.cache import ChunkedKVCache, RotatingKVCache

from engine.cache import CacheError, Transaction, leaves, rewind, state_arrays
from engine.target import Target
from tests.tiny import VOCABULARY, tiny_target

TARGETS = {kind: tiny_target(kind, layers=4) for kind in ("dense", "sliding", "wide", "gated-delta")}
# Largest difference allowed, in logits of size about 10: the same sums in another order, nothing else.
TOLERANCE = 2e-5

patterns = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=10)


def run_pattern(
    target: Target, kv_bits: int, prompt: int, pattern: list[tuple[int, int]], seed: int
) -> tuple[list[int], list]:
    """Blocks of (rows, kept) over a random text. Returns the tokens that stand and the caches."""
    rng = np.random.default_rng(seed)
    caches = target.make_caches(kv_bits)
    transaction = Transaction(caches, target.watch)
    stands = rng.integers(2, VOCABULARY, prompt).tolist()
    target.forward(mx.array(stands), caches)
    mx.eval(state_arrays(caches))
    for rows, kept in pattern:
        kept = min(kept, rows)
        block = rng.integers(2, VOCABULARY, rows).tolist()
        transaction.begin(rows)
        logits, _ = target.forward(mx.array(block), caches)
        mx.eval(logits)
        transaction.commit(kept)
        stands += block[:kept]
    return stands, caches


@pytest.mark.parametrize(
    ("kind", "kv_bits"), [("dense", 0), ("sliding", 0), ("wide", 8), ("wide", 4), ("gated-delta", 0)]
)
@given(prompt=st.integers(1, 20), pattern=patterns, seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_state_after_any_commits_is_that_of_a_fresh_run(
    kind: str, kv_bits: int, prompt: int, pattern: list[tuple[int, int]], seed: int
) -> None:
    target = TARGETS[kind]
    stands, caches = run_pattern(target, kv_bits, prompt, pattern, seed)
    fresh = target.make_caches(kv_bits)
    # A window forgets what a long prompt pushes out, so the fresh run goes in single steps, as the model is defined.
    for token in stands:
        mx.eval(target.forward(mx.array([token]), fresh)[0])
    if kv_bits:
        assert_same_codes(caches, fresh, len(stands))
        return
    probe = mx.array([7])
    after, expected = target.forward(probe, caches)[0], target.forward(probe, fresh)[0]
    assert mx.abs(after - expected).max().item() <= TOLERANCE * max(1.0, mx.abs(expected).max().item())
    # And the next block too, not only the next row.
    block = mx.array([9, 11, 13])
    after, expected = target.forward(block, caches)[0], target.forward(block, fresh)[0]
    assert mx.abs(after - expected).max().item() <= TOLERANCE * max(1.0, mx.abs(expected).max().item())


def assert_same_codes(caches: list, fresh: list, tokens: int) -> None:
    """Quantised keys and values of the same text. A last bit of difference before the rounding may move a value of the
    first layer by one step, here and there; deeper layers read what was rounded, so there a few steps add up.
    """
    for layer, (a, b) in enumerate(zip(leaves(caches), leaves(fresh), strict=True)):
        assert a.offset == b.offset == tokens
        for mine, theirs in zip((a.keys, a.values), (b.keys, b.values), strict=True):
            held, wanted = (
                mx.dequantize(*(part[..., :tokens, :] for part in parts), group_size=a.group_size, bits=a.bits)
                for parts in (mine, theirs)
            )
            step = mx.repeat(mx.abs(theirs[1][..., :tokens, :]), a.group_size, axis=-1)
            moved = mx.abs(held - wanted)
            assert (moved <= (8 if layer else 1.01) * step + TOLERANCE).all().item()
            assert layer or (moved > 0.5 * step).mean().item() < 0.02


@pytest.mark.parametrize("bits", [4, 8])
def test_stale_or_shifted_rows_are_seen_by_the_check_of_codes(bits: int) -> None:
    target = TARGETS["wide"]
    stands, caches = run_pattern(target, bits, 5, [(4, 2), (3, 0)], 0)
    other = [*stands[:-1], (stands[-1] + 1) % VOCABULARY]
    fresh = target.make_caches(bits)
    target.forward(mx.array(other), fresh)
    with pytest.raises(AssertionError):
        assert_same_codes(caches, fresh, len(stands))


def test_a_rollback_off_by_one_is_seen_by_this_check() -> None:
    target = TARGETS["dense"]
    stands, caches = run_pattern(target, 0, 5, [(4, 2)], 0)
    for leaf in leaves(caches):
        leaf.offset += 1  # one rejected row stays
    fresh = target.make_caches()
    target.forward(mx.array(stands), fresh)
    difference = mx.abs(target.forward(mx.array([7]), caches)[0] - target.forward(mx.array([7]), fresh)[0]).max().item()
    assert difference > 100 * TOLERANCE


def test_rollback_leaves_no_trace_in_a_full_window_that_is_written_in_place() -> None:
    target = TARGETS["sliding"]
    stands, caches = run_pattern(target, 0, 20, [(1, 1)] * 9 + [(1, 0)], 3)
    assert len(stands) == 29
    assert any(isinstance(leaf, RotatingKVCache) and leaf.offset == 29 for leaf in leaves(caches))


def test_commit_outside_the_block_is_refused() -> None:
    target = TARGETS["dense"]
    transaction = Transaction(target.make_caches(), target.watch)
    transaction.begin(2)
    with pytest.raises(ValueError, match=r"commit\(3\) of a block of 2 rows"):
        transaction.commit(3)


def test_an_unknown_kind_of_cache_is_refused_by_name() -> None:
    with pytest.raises(CacheError, match="ChunkedKVCache cannot be rolled back"):
        Transaction([ChunkedKVCache(8)], TARGETS["dense"].watch)


def test_rewind_says_no_where_a_window_has_wrapped() -> None:
    caches = TARGETS["sliding"].make_caches()
    TARGETS["sliding"].forward(mx.arange(2, 22), caches)
    before = [leaf.offset for leaf in leaves(caches)]
    assert not rewind(caches, 3)
    assert [leaf.offset for leaf in leaves(caches)] == before
    dense = TARGETS["dense"].make_caches()
    TARGETS["dense"].forward(mx.arange(2, 22), dense)
    assert rewind(dense, 3)
    assert {leaf.offset for leaf in leaves(dense)} == {17}


def test_looking_in_leaves_the_library_class_alone() -> None:
    from mlx_lm.models import llama

    layer = TARGETS["dense"].model.layers[0]
    assert type(layer) is not llama.TransformerBlock
    assert isinstance(layer, llama.TransformerBlock)
    assert "_slipstream_watch" not in vars(llama.TransformerBlock)


def test_taps_are_the_outputs_of_the_named_layers() -> None:
    target = TARGETS["dense"]
    tokens = mx.array([3, 4, 5])
    _, taps = target.forward(tokens, target.make_caches(), taps=(0, 3))
    assert set(taps) == {0, 3}
    h = target.model.model.embed_tokens(tokens[None])
    for index, (layer, cache) in enumerate(zip(target.model.layers, target.make_caches(), strict=True)):
        h = layer(h, "causal", cache=cache)
        if index in taps:
            assert mx.allclose(taps[index], h, atol=1e-5)
