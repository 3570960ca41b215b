"""A drafter's checkpoint in any known dialect -> the one ``Layout``, weights under the modules' names, and facts.

    layout, weights, facts = read_drafter(path)

Which dialect a file is written in is told by its configuration, in this order: ``speculators_model_type``;
``dflash_config.projector_type``; ``architectures``; EAGLE-3's tensor names. Whatever in a file would change what the
drafter computes and isn't computed here is refused by name: a field, a tensor, a shape. Its code is never run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
from msgspec import structs

from engine.drafters.formats import deepspec, eagle3, specforge, speculators, zlab
from engine.drafters.formats.config import Config
from engine.drafters.formats.dialect import DrafterFacts, Reading
from engine.drafters.formats.files import read_json, read_tensors
from engine.drafters.formats.tensors import check_tensors, read_quantization
from engine.drafters.layout import Layout, LayoutError
from engine.models.errors import ModelError

__all__ = ["DrafterFacts", "is_drafter", "is_drafter_config", "layout_of_config", "read_drafter"]

AGAIN = "Fetch the drafter again."
TELLING = ("speculators_model_type", "speculators_config", "dflash_config", "eagle_config", "draft_vocab_size")
"""Fields that no language model has."""
KNOWN = "z-lab DFlash and DFlash 2, DeepSpec, SpecForge, speculators, EAGLE-3"


def is_drafter(path: Path) -> bool:
    """Whether a directory holds a drafter that reads its target's layers, rather than a language model."""
    try:
        return is_drafter_config(read_json(path))
    except ModelError:
        return False


def is_drafter_config(fields: dict[str, Any]) -> bool:
    names = " ".join(map(str, fields.get("architectures") or ()))
    return any(key in fields for key in TELLING) or any(
        word in names for word in ("DFlash", "DSpark", "Domino", "Eagle3", "Speculator")
    )


def read_drafter(path: Path | str, target_layers: int = 0) -> tuple[Layout, dict[str, mx.array], DrafterFacts]:
    """Read a checkpoint's directory.

    Args: target_layers: of the target at hand; only EAGLE-3 files without taps need it.
    Returns: weights lazy, under the names of ``backbone.Model`` (``eagle.Model`` for scheme A)
    Raises: ModelError, one sentence, where the checkpoint can't be read or would not be computed as it was trained.
    """
    path = Path(path)
    config = Config(read_json(path), str(path / "config.json"))
    tensors = read_tensors(path)
    reading = _dialect(config, tensors, target_layers)
    quantization = read_quantization(config)
    weights = _renamed(config, tensors, reading)
    dropped = {name: weights.pop(name) for name in sorted(reading.unused) if name in weights}
    fields = dict(reading.layout)
    _draft_ids(config, fields, weights)
    fields["own_embedding"] = "embed_tokens.weight" in weights
    fields["own_head"] = "lm_head.weight" in weights
    if fields.get("markov") is not None:
        held = "confidence_head.proj.weight" in weights
        fields["markov"] = structs.replace(fields["markov"], confidence=fields["markov"].confidence and held)
    try:
        layout = Layout(**fields)
    except LayoutError as error:
        problem = str(error).removeprefix("[Layout] ")
        raise ModelError(f"{config.where} describes no drafter: {problem} Fetch it again.") from error
    check_tensors(layout, weights, quantization, path)
    notes = tuple(reading.facts.get("notes", ())) + ((f"Not used: {', '.join(dropped)}.",) if dropped else ())
    facts = DrafterFacts(
        **{
            **reading.facts,
            "notes": notes,
            "bits": quantization.get("bits", 0),
            "group_size": quantization.get("group_size", 0),
            "quantization": quantization,
            "weights_bytes": sum(w.nbytes for w in weights.values()),
        }
    )
    return layout, weights, facts


def layout_of_config(described: dict[str, Any], where: str, target_layers: int = 0) -> Layout:
    """The layout that a configuration alone describes, before a tensor is there.

    Only tensors can tell whether a checkpoint brings its own embedding and head: DeepSpec's and its kin do, and a
    reduced vocabulary means a head. Raises ``ModelError``.
    """
    config = Config(described, where)
    reading = _dialect(config, {}, target_layers)
    own = reading.facts.get("dialect") == "deepspec"
    fields = dict(reading.layout)
    fields |= {"own_embedding": own, "own_head": own or bool(reading.layout.get("draft_vocabulary"))}
    try:
        return Layout(**fields)
    except LayoutError as error:
        problem = str(error).removeprefix("[Layout] ")
        raise ModelError(f"{where} describes no drafter: {problem} Fetch it again.") from error


def _dialect(config: Config, tensors: dict[str, mx.array], target_layers: int) -> Reading:
    fields = config.fields
    architectures = fields.get("architectures") or []
    if config.has("speculators_model_type"):
        return speculators.read(config, target_layers)
    if config.has("speculators_config"):
        config.refuse("has a 'speculators_config' but no 'speculators_model_type'")
    nested = fields.get("dflash_config")
    projector = nested.get("projector_type") if isinstance(nested, dict) else None
    if projector not in (None, "dflash", "dflash2"):
        return specforge.read(config)
    if any(name in deepspec.ARCHITECTURES for name in architectures):
        return deepspec.read(config)
    if any(name in zlab.ARCHITECTURES for name in architectures):
        return zlab.read(config)
    if any("Eagle3" in str(name) for name in architectures) or any(name.startswith("midlayer.") for name in tensors):
        return eagle3.read(config, target_layers)
    what = f"names the architecture {', '.join(map(str, architectures))}" if architectures else "names no architecture"
    return config.refuse(f"{what}, which is no drafter known here", f"Known are {KNOWN}.")


def _renamed(config: Config, tensors: dict[str, mx.array], reading: Reading) -> dict[str, mx.array]:
    weights: dict[str, mx.array] = {}
    for name, tensor in tensors.items():
        new = reading.rename(name)
        if new in weights:
            config.refuse(f"comes with two tensors for '{new}' (one of them '{name}')", "Remove one of them.")
        weights[new] = tensor
    return weights


def _draft_ids(config: Config, fields: dict[str, Any], weights: dict[str, mx.array]) -> None:
    """d2t holds steps: draft id i is the target's id i + d2t[i]."""
    steps = weights.pop("d2t", None)
    reduced = fields.get("draft_vocabulary", 0)
    if not reduced:
        if steps is not None and bool(mx.any(steps != 0).item()):
            config.refuse("comes with the tensor 'd2t' but reduces no vocabulary ('draft_vocab_size')")
        return
    if steps is None:
        config.refuse(f"has 'draft_vocab_size' {reduced} but no tensor 'd2t', which says what its ids mean", AGAIN)
    if steps.shape != (reduced,):
        config.refuse(f"has 'draft_vocab_size' {reduced} and a tensor 'd2t' of shape {list(steps.shape)}", AGAIN)
    if "lm_head.weight" not in weights:
        config.refuse(f"has 'draft_vocab_size' {reduced} but no tensor 'lm_head.weight'", AGAIN)
    weights["draft_ids"] = mx.arange(reduced, dtype=mx.int32) + steps.astype(mx.int32)
