"""The public package ``dflash`` 0.1.0 (MLX) on the same files: the same drafts, round after round, and the same text.

One thing in the peer is put right first. Its sliding layers keep their context in mlx-lm's rotating cache, which
overwrites the oldest key in place when a round kept a single token; its mask counts from the oldest key, so in such
rounds it cuts the wrong ones. ``ordered`` makes every append one in temporal order; ``test_what_ordered_puts_right``
shows that nothing else changes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.models.cache import RotatingKVCache, make_prompt_cache

from engine.race import race
from engine.session import ArmState
from engine.trace.events import Arm, Round, Settings
from tests.peers.compare import (
    CANDIDATES,
    HIDDEN,
    MASK,
    TAPS,
    TARGET_LAYERS,
    WINDOW,
    Ours,
    close,
    randomised,
    rounds,
    taps,
    text,
)
from tests.tiny import VOCABULARY, tiny_target

peer = pytest.importorskip("dflash.model_mlx", reason="package dflash is not installed: make test-peers")

BLOCK = 6

SHAPES: dict[str, dict[str, Any]] = {
    "all full": {},
    "one sliding": {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": WINDOW},
    "all sliding": {"layer_types": ["sliding_attention"] * 2, "sliding_window": WINDOW},
    "sliding, not causal": {"layer_types": ["sliding_attention"] * 2, "sliding_window": WINDOW, "is_causal": False},
    "window smaller than the block": {
        "layer_types": ["sliding_attention"] * 2,
        "sliding_window": 3,
        "is_causal": False,
    },
    "causal": {"is_causal": True},
    "softcap": {"final_logit_softcapping": 5.0},
}
SCHEMES = ("DFlashDraftModel", "DFlash2DraftModel")


def files(directory: Path, scheme: str, shape: dict[str, Any], seed: int) -> Path:
    """A checkpoint as z-lab writes it, with random weights of the peer's own modules."""
    nested: dict[str, Any] = {"target_layer_ids": list(TAPS), "mask_token_id": MASK, "block_size": BLOCK}
    nested |= {"output_multiplier": 1.5, "input_embedding_scale": 0.7}
    if scheme == "DFlash2DraftModel":
        nested |= {"conv_kernel_size": 2, "conv_group_size": 8, "selector_rank": 6, "selector_top_k": CANDIDATES}
    config = {
        "architectures": [scheme],
        "model_type": "qwen3",
        "hidden_size": HIDDEN,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "intermediate_size": 48,
        "vocab_size": VOCABULARY,
        "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0,
        "max_position_embeddings": 512,
        "num_target_layers": TARGET_LAYERS,
        "dflash_config": nested,
        **shape,
    }
    (directory / "config.json").write_text(json.dumps(config))
    fields = {k: v for k, v in config.items() if k in peer.DFlashConfig.__dataclass_fields__} | {
        k: v for k, v in nested.items() if k in peer.DFlashConfig.__dataclass_fields__
    }
    fields["target_layer_ids"] = TAPS
    fields.setdefault("layer_types", ["full_attention"] * 2)
    model = (peer.DFlash2DraftModel if scheme == "DFlash2DraftModel" else peer.DFlashDraftModel)(
        peer.DFlashConfig(**fields)
    )
    weights = {
        name.removesuffix(".weight") if "codebook" in name else name: a for name, a in randomised(model, seed).items()
    }
    mx.save_safetensors(str(directory / "model.safetensors"), weights)
    return directory


def ordered(model: Any) -> Any:
    """The peer's drafter with windows that stay in temporal order."""
    make = model.make_cache

    def make_cache() -> list[Any]:
        caches = make()
        for cache in caches:
            if isinstance(cache, RotatingKVCache):
                cache._update_in_place = cache._update_concat
        return caches

    model.make_cache = make_cache
    return model


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The peer's own loader, told to look on this disk."""
    monkeypatch.setattr(peer, "snapshot_download", lambda path, **_: path)
    return peer.load_draft


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_drafts_and_logits(scheme: str, shape: str, tmp_path: Path, load: Any) -> None:
    path = files(tmp_path, scheme, SHAPES[shape], seed=1)
    ours, theirs = Ours.read(path), ordered(load(str(path))).bind(tiny_target(layers=TARGET_LAYERS).model)
    cache = make_prompt_cache(theirs)
    tokens, features = text(2), taps(3)
    seen = set()
    for start, end in rounds():
        anchor = tokens[end]
        ours.observe(tokens[start:end], features[start:end])
        block, new = mx.array([[anchor] + [MASK] * (BLOCK - 1)]), mx.array(features[start:end])[None]
        hidden = theirs.hidden_states(block, new, cache, logits_start=1)
        logits = theirs.compute_logits(hidden)
        if scheme == "DFlash2DraftModel":
            drafts = theirs.candidate_selector.select(hidden, logits, block[:, 0], 0.0)[0]
        else:
            drafts = mx.argmax(logits, axis=-1)
        close(ours.logits(anchor), np.array(logits[0]))
        assert ours.drafts(anchor) == drafts[0].tolist()
        seen |= set(drafts[0].tolist())
    assert len(seen) > 5  # the drafts are no constant


def test_what_ordered_puts_right(tmp_path: Path, load: Any) -> None:
    """As the peer is, it differs from ours after single tokens that find the window full, and nowhere else."""
    path = files(tmp_path, "DFlashDraftModel", SHAPES["all sliding"], seed=1)
    ours, theirs = Ours.read(path), load(str(path)).bind(tiny_target(layers=TARGET_LAYERS).model)
    cache = make_prompt_cache(theirs)
    tokens, features = text(2), taps(3)
    differ = []
    for start, end in rounds():
        ours.observe(tokens[start:end], features[start:end])
        block = mx.array([[tokens[end]] + [MASK] * (BLOCK - 1)])
        logits = theirs(block, mx.array(features[start:end])[None], cache, logits_start=1)
        differ.append(float(np.abs(ours.logits(tokens[end]) - np.array(logits[0])).max()) > 1)
    assert differ == [end - start == 1 and end >= WINDOW for start, end in rounds()]
    assert any(differ)


@pytest.mark.parametrize(
    ("scheme", "kind", "seed"),
    [  # seeds whose random drafter guesses right now and then
        ("DFlashDraftModel", "dense", 15),
        ("DFlashDraftModel", "sliding", 6),
        ("DFlashDraftModel", "gated-delta", 10),
        ("DFlash2DraftModel", "dense", 7),
        ("DFlash2DraftModel", "sliding", 6),
        ("DFlash2DraftModel", "gated-delta", 4),
    ],
)
def test_the_two_loops_keep_the_same_tokens(scheme: str, kind: str, seed: int, tmp_path: Path, load: Any) -> None:
    """Round by round, on targets with every kind of cache that the peer can roll back."""
    path = files(tmp_path, scheme, SHAPES["one sliding"], seed)
    prompt = "THE QUICK BROWN FOX JUMPS OVER"
    target = tiny_target(kind, layers=TARGET_LAYERS)
    ours = Ours.read(path, target)
    settings = Settings(block=BLOCK, max_tokens=40, candidate_width=CANDIDATES)
    state = ArmState(Arm(name="ours", drafter="scripted", settings=settings), target, ours.drafter, None)
    mine = [list(e.emitted_ids) for e in race([state], prompt, raw=True) if isinstance(e, Round)]

    # The peer hooks the layers of its own copy of the model.
    other = tiny_target(kind, layers=TARGET_LAYERS).model
    ids = mx.array(target.tokenizer.encode(prompt))
    found = peer.stream_generate(other, ordered(load(str(path))), PeerTokenizer(target.tokenizer), ids, max_tokens=40)
    theirs = [r.tokens for r in found if r.tokens]
    assert mine == theirs
    assert any(len(emitted) > 1 for emitted in mine)


class PeerTokenizer(peer.TokenizerWrapper):
    """The part of mlx-lm's wrapper that the peer speaks."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["inner"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value

    @property
    def eos_token_ids(self) -> set[int]:
        return set(self.inner.eos_token_ids)

    @property
    def detokenizer(self) -> Any:
        class Nothing:
            last_segment = ""

            def add_token(self, token: int) -> None: ...

            def finalize(self) -> None: ...

        return Nothing()
