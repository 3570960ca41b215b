"""Names and explanations of the parts of memory."""

from __future__ import annotations

from app.gauges.parts import Kind, Part, size_text
from app.i18n import translate


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
