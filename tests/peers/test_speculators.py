"""The public package ``speculators`` 0.9.0 (PyTorch) on files that it writes itself: dflash, dflash2, dspark, eagle3.

Its models are made for training: one forward takes a whole text and many blocks, each with an anchor of its own. Here
the anchors are given, and each block is compared with what our drafter says after the text before that anchor.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine.drafters import eagle
from engine.drafters.borrow import borrow, find
from engine.drafters.formats import read_drafter
from engine.sampling import Sampler
from engine.trace.events import Settings
from tests.peers.compare import (
    CANDIDATES,
    HIDDEN,
    MASK,
    TAPS,
    TARGET_LAYERS,
    TEXT_TOKENS,
    WINDOW,
    Ours,
    close,
    random_array,
    rounds,
    taps,
    text,
)
from tests.tiny import VOCABULARY, tiny_target

torch = pytest.importorskip("torch", reason="package torch is not installed: make test-peers")
peer = pytest.importorskip("speculators", reason="package speculators is not installed: make test-peers")

BLOCK = 5
RANK = 6
KEPT_IDS = list(range(2, VOCABULARY, 3))

SLIDING = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": WINDOW, "use_sliding_window": True}
DFLASH2 = {"conv_kernel_size": 2, "conv_group_size": 8, "selector_rank": RANK, "selector_top_k": CANDIDATES}

CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    # name: kind, fields of the drafter, fields of its layers
    "dflash": ("dflash", {}, {}),
    "dflash, sliding": ("dflash", {}, SLIDING),
    "dflash, sliding both ways": ("dflash", {"sliding_window_non_causal": True}, SLIDING),
    "dflash, anchor first": ("dflash", {"sample_from_anchor": True}, {}),
    "dflash, reduced vocabulary": ("dflash", {"draft_vocab_size": len(KEPT_IDS)}, {}),
    "dflash2": ("dflash2", DFLASH2, {}),
    "dflash2, sliding": ("dflash2", DFLASH2, SLIDING),
    "dspark, vanilla": ("dspark", {"markov_rank": RANK}, {}),
    "dspark, gated": ("dspark", {"markov_rank": RANK, "markov_head_type": "gated"}, {}),
    "dspark, rnn": ("dspark", {"markov_rank": RANK, "markov_head_type": "rnn"}, SLIDING),
    "dspark, filled in": ("dspark", {"markov_rank": RANK, "sample_from_anchor": False}, {}),
    "dspark, reduced vocabulary": ("dspark", {"markov_rank": RANK, "draft_vocab_size": len(KEPT_IDS)}, {}),
}


def config_of(kind: str, fields: dict[str, Any], layers: dict[str, Any]) -> Any:
    from speculators.config import SpeculatorsConfig, VerifierConfig
    from speculators.proposals.greedy import GreedyTokenProposalConfig
    from transformers import Qwen3Config

    body = Qwen3Config(
        vocab_size=VOCABULARY,
        hidden_size=HIDDEN,
        intermediate_size=48,
        num_hidden_layers=1 if kind == "eagle3" else 2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        rms_norm_eps=1e-6,
        rope_theta=10000.0,
        max_position_embeddings=256,
        attn_implementation="eager",
        **layers,
    )
    classes = {
        "dflash": peer.DFlashSpeculatorConfig,
        "dflash2": peer.DFlash2SpeculatorConfig,
        "dspark": peer.DSparkSpeculatorConfig,
        "eagle3": peer.Eagle3SpeculatorConfig,
    }
    states = [tap + 1 for tap in TAPS]
    own = {"eagle_aux_hidden_state_layer_ids": states} if kind == "eagle3" else {
        "block_size": BLOCK, "aux_hidden_state_layer_ids": states, "mask_token_id": MASK
    }  # fmt: skip
    anchor_first = fields.get("sample_from_anchor", kind == "dspark")
    return classes[kind](
        transformer_layer_config=body,
        speculators_config=SpeculatorsConfig(
            algorithm=kind,
            proposal_methods=[GreedyTokenProposalConfig(speculative_tokens=BLOCK if anchor_first else BLOCK - 1)],
            default_proposal_method="greedy",
            verifier=VerifierConfig(name_or_path=None, architectures=[]),
        ),
        **{"draft_vocab_size": VOCABULARY, **own, **fields},
    )


def build(kind: str, fields: dict[str, Any], layers: dict[str, Any], target: Any) -> Any:
    """A peer's model with random weights of its own, and embedding and head of ``target``."""
    classes = {
        "dflash": peer.DFlashDraftModel,
        "dflash2": peer.DFlash2DraftModel,
        "dspark": peer.DSparkDraftModel,
        "eagle3": peer.Eagle3DraftModel,
    }
    model = classes[kind](config_of(kind, fields, layers)).eval()
    rng = np.random.default_rng(5)
    reduced = "draft_vocab_size" in fields
    embedding, _ = find(target)
    table = np.array(embedding.weight)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name not in ("embed_tokens.weight", "lm_head.weight"):
                parameter.copy_(torch.tensor(random_array(rng, tuple(parameter.shape))))
        model.embed_tokens.weight.copy_(torch.tensor(table))
        model.lm_head.weight.copy_(
            torch.tensor(random_array(rng, tuple(model.lm_head.weight.shape)) if reduced else table)
        )
        if reduced:
            kept = torch.zeros(VOCABULARY, dtype=torch.bool)
            kept[KEPT_IDS] = True
            model.load_vocab_mappings(kept, torch.tensor(KEPT_IDS) - torch.arange(len(KEPT_IDS)))
    return model


def their_blocks(
    model: Any, tokens: list[int], features: np.ndarray, anchors: list[int], monkeypatch: pytest.MonkeyPatch
) -> Any:
    """Hidden states and logits of the blocks after ``anchors``. [anchors, block, H], [anchors, block, V]"""
    from speculators.models.dflash import core

    monkeypatch.setattr(
        core, "select_anchors", lambda *_: (torch.tensor(anchors), torch.ones(len(anchors), dtype=torch.bool))
    )
    n = len(tokens)
    with torch.no_grad():
        hidden, logits, *_ = model._backbone_forward(
            torch.tensor(features)[None],
            torch.tensor(tokens)[None],
            torch.ones(1, n),
            torch.zeros(1, n, HIDDEN),
            torch.zeros(1, n, dtype=torch.long),
            max_anchors=len(anchors),
        )
    first = 0 if model.config.sample_from_anchor else 1
    shape = (len(anchors), BLOCK, -1)
    return hidden.view(shape)[:, first:], logits.view(shape)[:, first:]


def their_drafts(model: Any, hidden: Any, logits: Any, anchor: int) -> list[int]:
    """One block, greedy, by the peer's own heads. [gamma, H], [gamma, V]"""
    steps = model.d2t.tolist() if model.use_draft_vocab else [0] * VOCABULARY
    before = [anchor]
    with torch.no_grad():
        for k in range(logits.shape[0]):
            row = logits[k]
            if getattr(model, "candidate_selector", None) is not None:
                ids, scores = model.candidate_selector.select(row[None], hidden[k][None], torch.tensor([before[-1]]))
                before.append(int(ids[0, scores[0].argmax()]))
                continue
            if getattr(model, "markov_head", None) is not None:
                bias = model.markov_head.block_bias(
                    prev_token_ids=torch.tensor(before)[None], hidden_states=hidden[: k + 1][None]
                )
                row = row + bias[0, k]
            best = int(row.argmax())
            before.append(best + steps[best])
    return before[1:]


@pytest.mark.parametrize("case", CASES)
def test_blocks(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tiny_target(layers=TARGET_LAYERS)
    theirs = build(*CASES[case], target)
    theirs.save_pretrained(tmp_path)
    ours = Ours.read(tmp_path, target)
    tokens, features = text(2), taps(3)
    anchors = [end for _, end in rounds()]
    hidden, logits = their_blocks(theirs, tokens, features, anchors, monkeypatch)
    seen: set[int] = set()
    for i, (start, end) in enumerate(rounds()):
        ours.observe(tokens[start:end], features[start:end])
        close(ours.logits(tokens[end]), logits[i].numpy())
        drafts = their_drafts(theirs, hidden[i], logits[i], tokens[end])
        assert ours.drafts(tokens[end]) == drafts
        seen |= set(drafts)
    assert len(seen) > 1  # the drafts are no constant


@pytest.mark.parametrize("before_residual", [False, True])
def test_eagle3(before_residual: bool, tmp_path: Path) -> None:
    """The peer unrolls a head over a given text; here that ends with our own drafts, so it must draft them too."""
    target = tiny_target(layers=TARGET_LAYERS)
    fields = {"draft_vocab_size": len(KEPT_IDS), "norm_before_residual": before_residual}
    theirs = build("eagle3", fields, {}, target)
    theirs.save_pretrained(tmp_path)
    layout, weights, _ = read_drafter(tmp_path, TARGET_LAYERS)
    model = eagle.Model(layout)
    model.load_weights(list(weights.items()))
    tokens, features = text(2), taps(3)
    drafter = eagle.EagleDrafter(eagle.Eagle(model, borrow(layout, model, target)))
    seen: set[int] = set()
    for start, end in rounds():
        parts = np.split(features[start:end], len(TAPS), axis=-1)
        drafter.observe(tokens[start:end], {tap: mx.array(p)[None] for tap, p in zip(layout.taps, parts, strict=True)})
        width = 3
        mine = np.array(drafter.propose(tokens[end], width, Sampler(Settings())).tokens).tolist()
        # Place t reads the state of t beside token t + 1.
        shifted = [*tokens[1:end], tokens[end], *mine]
        n = end
        known = torch.tensor(
            np.concatenate([features[:n], np.zeros((len(shifted) - n, features.shape[1]), np.float32)])
        )
        with torch.no_grad():
            steps = theirs(
                known[None],
                torch.tensor(shifted)[None],
                torch.zeros(1, len(shifted), dtype=torch.long),
                ttt_steps=width,
            )
        found = [int(step[0, n - 1]) for step in steps]
        assert [KEPT_IDS[i] for i in found] == mine
        seen |= set(mine)
    assert len(seen) > 1  # the drafts are no constant
    assert rounds()[-1][1] < TEXT_TOKENS
