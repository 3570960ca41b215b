"""Tiny random targets and a tokenizer of bytes: mathematics in milliseconds, no file, no network."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_map

from engine.target import Target
from engine.trace.events import ModelFacts

VOCABULARY = 64
END = 1


class ByteTokenizer:
    """Id i is the character 32 + i: digits, capitals, punctuation. Speaks the part of mlx-lm's wrapper that the
    engine uses.
    """

    chat_template = None
    bos_token_id = None
    eos_token_ids = (END,)
    all_special_ids = (END,)
    clean_up_tokenization_spaces = False

    def __init__(self, vocabulary: int = VOCABULARY) -> None:
        self.vocabulary = vocabulary

    def get_vocab(self) -> dict[str, int]:
        return {self.token(i): i for i in range(self.vocabulary)}

    @staticmethod
    def token(i: int) -> str:
        return chr(32 + i)

    def encode(self, text: str, add_special_tokens: bool = False) -> list[int]:
        return [min(max(ord(c) - 32, 0), self.vocabulary - 1) for c in text.upper()]

    def decode(self, ids: list[int], skip_special_tokens: bool = False, **_: Any) -> str:
        return "".join(self.token(i) for i in ids if i != END or not skip_special_tokens)

    def convert_ids_to_tokens(self, ids: Any) -> Any:
        return self.token(ids) if isinstance(ids, int) else [self.token(i) for i in ids]


def _args(kind: str, layers: int) -> tuple[type[nn.Module], Any]:
    common: dict[str, Any] = {
        "hidden_size": 32,
        "num_hidden_layers": layers,
        "intermediate_size": 64,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "rms_norm_eps": 1e-5,
        "vocab_size": VOCABULARY,
    }
    if kind in ("dense", "sliding"):
        from mlx_lm.models import llama

        types = ["full_attention"] * layers
        if kind == "sliding":
            types = ["sliding_attention" if i % 2 else "full_attention" for i in range(layers)]
        return llama.Model, llama.ModelArgs(model_type="llama", layer_types=types, sliding_window=8, **common)
    if kind == "wide":  # heads of 64, as quantised keys and values need
        from mlx_lm.models import llama

        common |= {"hidden_size": 128, "num_attention_heads": 2, "num_key_value_heads": 2}
        return llama.Model, llama.ModelArgs(model_type="llama", **common)
    if kind == "qk-norm":
        from mlx_lm.models import qwen3

        more = {"head_dim": 8, "max_position_embeddings": 4096, "rope_theta": 1e6, "tie_word_embeddings": False}
        return qwen3.Model, qwen3.ModelArgs(model_type="qwen3", **more, **common)
    if kind == "biases":  # of queries, keys and values, and of nothing else
        from mlx_lm.models import qwen2

        return qwen2.Model, qwen2.ModelArgs(model_type="qwen2", **common)
    if kind == "gated-delta":
        from mlx_lm.models import qwen3_5

        text = qwen3_5.TextModelArgs(
            model_type="qwen3_5_text",
            linear_num_value_heads=4,
            linear_num_key_heads=2,
            linear_key_head_dim=8,
            linear_value_head_dim=8,
            linear_conv_kernel_dim=4,
            full_attention_interval=2,
            head_dim=8,
            tie_word_embeddings=True,
            max_position_embeddings=4096,
            num_experts=0,
            **common,
        )
        return qwen3_5.TextModel, text
    if kind == "mamba":
        from mlx_lm.models import mamba2

        return mamba2.Model, mamba2.ModelArgs(
            model_type="mamba2",
            num_heads=4,
            head_dim=16,
            vocab_size=VOCABULARY,
            hidden_size=32,
            intermediate_size=64,
            state_size=8,
            num_hidden_layers=layers,
            layer_norm_epsilon=1e-5,
            conv_kernel=4,
            n_groups=1,
            use_bias=False,
            use_conv_bias=True,
            tie_word_embeddings=True,
            time_step_limit=(0.0, float("inf")),
            time_step_rank="auto",
        )
    if kind == "short-convolution":
        from mlx_lm.models import lfm2

        common.pop("rms_norm_eps")
        return lfm2.Model, lfm2.ModelArgs(
            model_type="lfm2",
            max_position_embeddings=4096,
            norm_eps=1e-5,
            conv_bias=False,
            conv_L_cache=3,
            block_dim=32,
            block_multiple_of=8,
            block_ffn_dim_multiplier=1.0,
            block_auto_adjust_ff_dim=False,
            layer_types=["full_attention" if i % 2 else "conv" for i in range(layers)],
            **common,
        )
    raise ValueError(kind)


def tiny_model(
    kind: str = "dense", seed: int = 0, layers: int = 2, sharpness: float = 4.0, spread: float = 0.4
) -> nn.Module:
    """A random float32 model. ``sharpness`` spreads its logits, so that argmaxes are far from ties; ``spread``
    of its weights keeps its greedy text from falling into a loop at once."""
    mx.random.seed(seed)
    cls, args = _args(kind, layers)
    model = cls(args)
    model.update(tree_map(lambda a: mx.random.normal(a.shape) * spread if a.ndim > 1 else a, model.parameters()))
    embedding = model.backbone.embeddings if kind == "mamba" else model.model.embed_tokens
    embedding.weight = mx.random.normal(embedding.weight.shape) * sharpness / 4
    mx.eval(model.parameters())
    model.eval()
    return model


def tiny_target(kind: str = "dense", seed: int = 0, layers: int = 2, context_tokens: int = 4096) -> Target:
    facts = ModelFacts(
        name=f"tiny {kind}", context_tokens=context_tokens, vocabulary=VOCABULARY, layers=layers, hidden_size=32
    )
    return Target.of(tiny_model(kind, seed, layers), ByteTokenizer(), facts)  # type: ignore[arg-type]
