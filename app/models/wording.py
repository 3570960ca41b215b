"""Sentences of the Models page, from the records of ``engine.process.shelf``. Pure functions."""

from __future__ import annotations

from app.drafters.schemes import Scheme
from app.drafters.wording import scheme_title
from app.i18n import translate
from app.job_state import JobState, seconds_left
from app.jobview.wording import duration
from engine.process.shelf import Fit, KnownPair, OnDisk

GIB = 1 << 30
BY_LETTER = {
    "A": Scheme.MODEL,
    "B": Scheme.DFLASH,
    "C": Scheme.DSPARK,
    "D": Scheme.DFLASH2,
    "E": Scheme.CASCADE,
}


def disk_size(size_bytes: int) -> str:
    """Files and disks are counted in thousands, as Finder does."""
    if size_bytes <= 0:
        return translate("Models", "size unknown")
    if size_bytes >= 1e11:
        return f"{size_bytes / 1e9:.0f} GB"
    return f"{size_bytes / 1e9:.2f} GB" if size_bytes >= 1e9 else f"{max(1, round(size_bytes / 1e6))} MB"


def memory_size(size_bytes: int) -> str:
    """Memory is sold in units of 1024 cubed."""
    return f"{size_bytes / GIB:.1f}"


def place(item: OnDisk) -> str:
    return {
        "embedded": translate("Models", "comes with Slipstream"),
        "hub": translate("Models", "Hugging Face cache"),
        "lmstudio": "LM Studio",
        "folder": translate("Models", "your folder"),
        "own": translate("Models", "made here"),
    }[item.place]


def facts(item: OnDisk) -> str:
    """``Model · llama · 4-bit · 86 MB · Apache-2.0 · Hugging Face cache``."""
    kinds = {
        "model": translate("Models", "Model"),
        "drafter": translate("Models", "Drafter {scheme}").format(scheme=scheme(item.scheme)).strip(),
        "table": translate("Models", "Table of word sequences"),
    }
    parts = [kinds[item.kind], item.architecture if item.kind == "model" else ""]
    if item.bits:
        parts.append(translate("Models", "{n}-bit").format(n=item.bits))
    elif item.kind == "model" and item.state == "whole":
        parts.append(translate("Models", "full precision"))
    parts += [disk_size(item.size_bytes), item.licence, place(item)]
    return " · ".join(part for part in parts if part)


def scheme(letter: str) -> str:
    return scheme_title(BY_LETTER[letter]) if letter in BY_LETTER else ""


def fit_line(fit: Fit) -> str:
    """``Fits this Mac: 17.9 of 32.0 GB``."""
    figures = translate("Models", "{used} of {total} GB").format(
        used=memory_size(fit.total_bytes), total=memory_size(fit.machine_bytes)
    )
    return {
        "fits": translate("Models", "Fits: {figures}"),
        "tight": translate("Models", "Tight now: {figures}"),
        "too large": translate("Models", "Too large: {figures}"),
        "unknown": translate("Models", "Whether it fits isn't known"),
    }[fit.verdict].format(figures=figures)


def fit_details(fit: Fit) -> str:
    """Every part of the sum, for the tooltip."""
    if fit.verdict == "unknown":
        return translate("Models", "The size of this model isn't known before it is fetched.")
    names = {
        "target weights": translate("Models", "target weights"),
        "drafter weights": translate("Models", "drafter weights"),
        "keys and values": translate("Models", "keys and values"),
        "window keys and values": translate("Models", "keys and values of sliding windows"),
        "recurrent state": translate("Models", "recurrent state"),
        "drafter context": translate("Models", "what the drafter remembers"),
        "drafter tables": translate("Models", "tables of the drafter"),
        "working room": translate("Models", "working room"),
    }
    lines = [f"{names.get(part.name, part.name)}: {memory_size(part.size_bytes)} GB" for part in fit.parts]
    lines.append(
        translate(
            "Models", "with a text of {n} tokens; free now: {free} GB; kept for other programs: {kept} GB"
        ).format(
            n=f"{fit.context_tokens:,}", free=memory_size(fit.available_bytes), kept=memory_size(fit.reserve_bytes)
        )
    )
    if fit.verdict == "tight":
        lines.append(
            translate("Models", "It fits this machine, but not what is free now: close programs you don't need.")
        )
    if fit.source in ("configuration", "published"):
        lines.append(
            translate("Models", "Computed before anything is fetched, from the model's shape or its published size.")
        )
    return "\n".join(lines)


def pair_title(pair: KnownPair) -> str:
    return f"{pair.target} + {pair.drafter.rpartition('/')[2]}"


def pair_facts(pair: KnownPair) -> str:
    parts = [scheme(pair.scheme)]
    if pair.block:
        parts.append(translate("Models", "block {n}").format(n=pair.block))
    if pair.target_bytes or pair.drafter_bytes:
        parts.append(
            translate("Models", "{target} and {drafter}").format(
                target=disk_size(pair.target_bytes), drafter=disk_size(pair.drafter_bytes)
            )
        )
    licences = [licence for licence in dict.fromkeys((pair.target_licence, pair.drafter_licence)) if licence]
    parts.append(", ".join(licences) or translate("Models", "licence unknown"))
    return " · ".join(part for part in parts if part)


def pair_missing(pair: KnownPair) -> str:
    """Which half is missing and how to get it; empty where both are there."""
    if not pair.missing:
        return ""
    names = {
        ("target",): translate("Models", "The target is missing."),
        ("drafter",): translate("Models", "The drafter is missing."),
        ("target", "drafter"): translate("Models", "Neither half is on this disk."),
    }
    said = names.get(tuple(pair.missing), pair.message)
    if "target" in pair.missing and not pair.target_hub:
        said += " " + translate(
            "Models",
            "No 4-bit version of the target is known: fetch one for MLX, or quantise its full-precision folder.",
        )
    if "drafter" in pair.missing and not pair.drafter_hub:
        said += " " + translate("Models", "Where the drafter is published isn't known.")
    return said


def job_line(state: JobState) -> str:
    """``1.20 GB of 16.02 GB · 24 MB/s · 11 min left``."""
    progress = state.whole or state.progress.get(state.stage)
    if progress is None or (progress.total <= 0 and progress.done <= 0):
        return translate("Models", "Getting ready…")
    parts = []
    if progress.unit in ("bytes", "B"):
        done = disk_size(round(progress.done)) if progress.done >= 1 else "0 MB"
        if progress.total > 0:
            parts.append(
                translate("Models", "{done} of {total}").format(done=done, total=disk_size(round(progress.total)))
            )
        else:
            parts.append(done)
        if progress.per_s:
            parts.append(f"{progress.per_s / 1e6:.1f} MB/s")
    elif progress.total > 0:
        parts.append(f"{100 * progress.done / progress.total:.0f} %")
    left = progress.seconds_left if progress.seconds_left is not None else seconds_left(state)
    if left is not None:
        parts.append(translate("Models", "{time} left").format(time=duration(left)))
    if progress.note:
        parts.append(progress.note)
    return " · ".join(parts)
