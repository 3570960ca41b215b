"""The target: weights, tokenizer, taps, and the one forward everything else is built on.

A target is any mlx-lm model: the embedded one, a directory, or a hub id. It belongs to whoever runs it; caches belong
to arms, so several arms share one set of weights. Code that a checkpoint brings along is never run.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.cache import KVCache, QuantizedKVCache, make_prompt_cache
from mlx_lm.tokenizer_utils import TokenizerWrapper

from engine.cache import branched
from engine.models import loading
from engine.models.config import read_config_file
from engine.models.errors import ModelError
from engine.trace.events import ModelFacts
from engine.watch import Watch, instrument

KV_GROUP_SIZES = (64, 32)
PIECE_BYTES = 256 * 1024**2
"""Weights read between two looks at whether they are still wanted."""

Hold = Callable[[nn.Module], str]
"""Turns a model's weights, in place, into what is computed with; says what that is (``ModelFacts.held_as``)."""


@dataclass(slots=True)
class Target:
    """A loaded language model."""

    model: nn.Module
    tokenizer: TokenizerWrapper
    facts: ModelFacts
    watch: Watch
    branches: bool | None = None
    """Whether it can verify trees; None: not tried yet (``branches.check_target``)."""

    @classmethod
    def of(cls, model: nn.Module, tokenizer: TokenizerWrapper, facts: ModelFacts) -> Target:
        return cls(model, tokenizer, facts, instrument(model))

    @property
    def end_ids(self) -> frozenset[int]:
        """Tokens that end a turn."""
        return frozenset(self.tokenizer.eos_token_ids)

    def make_caches(self, kv_bits: int = 0) -> list[Any]:
        """Empty caches for one arm. ``kv_bits`` quantises keys and values of full-attention layers."""
        caches = make_prompt_cache(self.model)
        if kv_bits:
            group = self._kv_group_size()
            caches = [QuantizedKVCache(group_size=group, bits=kv_bits) if type(c) is KVCache else c for c in caches]
        return list(caches)

    def _kv_group_size(self) -> int:
        """The largest group that divides every attention head of the model. Raises ``ModelError`` where none does."""
        found = (getattr(module, "head_dim", None) for _, module in self.model.named_modules())
        heads = {head for head in found if isinstance(head, int)}
        for size in KV_GROUP_SIZES:
            if all(head % size == 0 for head in heads):
                return size
        raise ModelError(
            f"The cache of {self.facts.name} can't be quantised: its attention heads of {min(heads)} are not divided "
            f"by {KV_GROUP_SIZES[-1]}. Set the cache precision to the model's own."
        )

    def forward(
        self, tokens: mx.array, caches: Sequence[Any], taps: Sequence[int] = ()
    ) -> tuple[mx.array, dict[int, mx.array]]:
        """Run rows of one text, lazily.

        Args:
            tokens: [rows] ids that follow what the caches hold
            taps: layers, by position, whose outputs are wanted

        Returns:
            logits [rows, V] in the model's own dtype, and {layer: [1, rows, H]}
        """
        self.watch.want(taps)
        logits = self.model(tokens[None], cache=list(caches))[0]
        return logits, self.watch.take()

    def forward_tree(
        self, tokens: mx.array, parents: Sequence[int], caches: Sequence[Any], taps: Sequence[int] = ()
    ) -> tuple[mx.array, dict[int, mx.array]]:
        """``forward`` over a tree (``tree``): the anchor and the drafts, whose rows are all appended.

        Args: tokens [nodes]; parents [nodes - 1].
        """
        self.watch.want(taps)
        logits = self.model(tokens[:, None], cache=branched(caches, parents))[:, 0]
        return logits, {layer: tap.swapaxes(0, 1) for layer, tap in self.watch.take().items()}


def load_model(
    path: Path, name: str, revision: str = "", hold: Hold | None = None
) -> tuple[nn.Module, dict[str, Any], ModelFacts]:
    """Load an mlx-lm model directory, hold its weights as the backend wants (or ``hold`` says), state what it is."""
    from mlx_lm.utils import load_model as mlx_load_model

    from engine.platform import expand_weights

    config = read_config(path)
    try:
        model, _ = mlx_load_model(path, lazy=True)
    except Exception as error:
        # A damaged configuration can fail anywhere in a model's own code, even by a division.
        raise ModelError(f"{path} can't be loaded as an mlx-lm model: {_first_line(error)}") from error
    model.eval()
    held_as = (
        hold or (lambda model: expand_weights(model, between=lambda done, of: loading.step(done, of, "layers")))
    )(model)
    evaluate(model)
    text = config.get("text_config", config)
    quantization = config.get("quantization") or config.get("quantization_config") or {}
    facts = ModelFacts(
        name=name,
        path=str(path),
        revision=revision,
        architecture=str(config.get("model_type", "")),
        bits=int(quantization.get("bits", 0)),
        group_size=int(quantization.get("group_size", 0)),
        held_as=held_as,
        weights_bytes=weights_bytes(model),
        context_tokens=int(text.get("max_position_embeddings") or 0),
        vocabulary=int(text.get("vocab_size") or 0),
        layers=len(model.layers),
        hidden_size=int(text.get("hidden_size") or 0),
    )
    return model, config, facts


def evaluate(model: nn.Module) -> None:
    """Read the weights from the disk piece by piece, so that a load shows how far it is and can be stopped."""
    from mlx.utils import tree_flatten

    arrays = [array for _, array in tree_flatten(model.parameters())]
    total = sum(int(array.nbytes) for array in arrays)
    done = waiting = 0
    piece: list[mx.array] = []
    for array in arrays:
        piece.append(array)
        waiting += int(array.nbytes)
        if waiting >= PIECE_BYTES:
            mx.eval(piece)
            done, waiting, piece = done + waiting, 0, []
            loading.step(done, total)
    mx.eval(piece)
    loading.step(total, total)


def weights_bytes(model: nn.Module) -> int:
    from mlx.utils import tree_flatten

    return sum(int(array.nbytes) for _, array in tree_flatten(model.parameters()))


def read_config(path: Path) -> dict[str, Any]:
    """``config.json`` of a model directory, refused where the checkpoint wants its own code run."""
    config = read_config_file(path, "model", "an mlx-lm model directory")
    file = path / "config.json"
    for key in ("auto_map", "model_file"):
        if key in config:
            raise ModelError(
                f"{file} asks to run code that comes with the checkpoint ('{key}'); Slipstream never does. "
                "Use a version of the model for mlx-lm's own architectures."
            )
    if not list(path.glob("*.safetensors")):
        raise ModelError(
            f"{path} holds no safetensors weights. Fetch the model again, or convert it with mlx_lm.convert."
        )
    return config


def load_target(name: str, hold: Hold | None = None) -> Target:
    """``embedded``, a model directory, or a hub id that is on disk or can be fetched."""
    from mlx_lm.utils import load_tokenizer

    # A prompt that is too long is refused in our own words.
    logging.getLogger("transformers").setLevel(logging.ERROR)
    path, shown, revision = resolve(name)
    model, config, facts = load_model(path, shown, revision, hold)
    try:
        # Asked neither way, transformers asks on standard input whether the checkpoint's own code may run.
        tokenizer = load_tokenizer(path, {"trust_remote_code": False}, eos_token_ids=_end_ids(path, config))
    except Exception as error:
        if "trust_remote_code" in str(error):
            raise ModelError(
                f"The tokenizer in {path} asks to run code that comes with the checkpoint; Slipstream never does. "
                "Use a version of the model with a tokenizer.json."
            ) from error
        raise ModelError(f"The tokenizer in {path} can't be loaded: {_first_line(error)}") from error
    if not facts.vocabulary:
        raise ModelError(f"{path / 'config.json'} names no vocab_size. Fetch the model again.")
    return Target.of(model, tokenizer, facts)


def _end_ids(path: Path, config: dict[str, Any]) -> list[int] | None:
    """Tokens that end a turn, as mlx-lm reads them: many chat models name theirs in ``generation_config.json`` alone.
    None leaves it to the tokenizer.
    """
    ids = config.get("eos_token_id")
    with contextlib.suppress(OSError, ValueError, AttributeError):
        ids = json.loads((path / "generation_config.json").read_text(encoding="utf-8")).get("eos_token_id") or ids
    if ids is None:
        return None
    return [int(i) for i in ids] if isinstance(ids, list) else [int(ids)]


def resolve(name: str) -> tuple[Path, str, str]:
    """Directory, shown name and revision of a model by what the user calls it."""
    if name == "embedded":
        from engine.models.demo import NAME, embedded_model

        return embedded_model(), NAME, ""
    path = Path(name).expanduser()
    if path.exists() or name.startswith((".", "/", "~")) or name.count("/") != 1:
        return path, path.name, ""
    from engine.models.hub import snapshot

    return snapshot(name)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
