"""Names and explanations of the parts of memory, and sentences about what a load takes and what went back."""

from __future__ import annotations

from app.gauges.parts import Kind, Part, size_text
from app.i18n import translate
from engine.process.protocol import Estimate


def name(kind: Kind) -> str:
    match kind:
        case Kind.TARGET:
            return translate("Memory", "target")
        case Kind.DRAFTER:
            return translate("Memory", "drafter")
        case Kind.CACHES:
            return translate("Memory", "caches")
        case Kind.DRAFTER_STATE:
            return translate("Memory", "drafter caches")
        case Kind.ENGINE:
            return translate("Memory", "engine, rest")
        case Kind.ALLOCATOR:
            return translate("Memory", "allocator")
        case Kind.OTHERS:
            return translate("Memory", "other programs")
        case Kind.FREE:
            return translate("Memory", "free")


def explanation(kind: Kind) -> str:
    match kind:
        case Kind.TARGET:
            return translate("Memory", "Weights of the target, the model whose text you read")
        case Kind.DRAFTER:
            return translate("Memory", "Weights of the drafter, the small model that proposes tokens")
        case Kind.CACHES:
            return translate("Memory", "Keys and values of the tokens read so far; they grow with the conversation")
        case Kind.DRAFTER_STATE:
            return translate("Memory", "Transition cache and drafter caches: what the drafter keeps between rounds")
        case Kind.ENGINE:
            return translate("Memory", "Everything else the engine holds: results in progress and the program itself")
        case Kind.ALLOCATOR:
            return translate(
                "Memory", "Memory the engine has given up but keeps at hand, to use it again without asking"
            )
        case Kind.OTHERS:
            return translate("Memory", "What the system and the other programs use")
        case Kind.FREE:
            return translate("Memory", "What the machine could still give away without swapping")


def part_sentence(part: Part) -> str:
    """``target 0.8 GB: Weights of the target ...``"""
    said = translate("Memory", "{part} {size}: {explanation}")
    return said.format(part=name(part.kind), size=size_text(part.size_bytes), explanation=explanation(part.kind))


def needs(estimate: Estimate) -> str:
    """``needs 1.4 GB, 18.2 GB free``"""
    return translate("Memory", "needs {needed}, {free} free").format(
        needed=size_text(estimate.new_bytes), free=size_text(estimate.fit.available_bytes)
    )


def plan(estimate: Estimate) -> str:
    """The same as a line of its own, for the gauge."""
    return translate("Memory", "Loading needs {needed}, {free} are free.").format(
        needed=size_text(estimate.new_bytes), free=size_text(estimate.fit.available_bytes)
    )


def too_large(estimate: Estimate) -> str:
    """What doesn't fit, for the gauge."""
    return translate("Memory", "Loading would need {needed}, {free} are free.").format(
        needed=size_text(estimate.new_bytes), free=size_text(estimate.fit.available_bytes)
    )


def tight(estimate: Estimate) -> str:
    said = translate(
        "Memory",
        "Memory gets tight: loading needs {needed}, {free} are free and {kept} of them are to stay free for other "
        "programs. Close some if the system slows down, or choose a smaller model.",
    )
    return said.format(
        needed=size_text(estimate.new_bytes),
        free=size_text(estimate.fit.available_bytes),
        kept=size_text(estimate.fit.reserve_bytes),
    )


def eased(size_bytes: int) -> str:
    """A mark in the history."""
    return translate("Memory", "memory was short: caches of {size} given back").format(size=size_text(size_bytes))


def stopped() -> str:
    """A mark in the history."""
    return translate("Memory", "memory was nearly used up: the run was stopped")


def gone_back(size_bytes: int) -> str:
    """A mark in the history."""
    return translate("Memory", "models unloaded: {size} given back").format(size=size_text(size_bytes))


def gone_back_sentence(size_bytes: int) -> str:
    """Without a figure where none is known."""
    if size_bytes <= 0:
        return translate("Memory", "The models are unloaded. The next prompt loads them again.")
    return translate("Memory", "The models are unloaded: {size} given back. The next prompt loads them again.").format(
        size=size_text(size_bytes)
    )
