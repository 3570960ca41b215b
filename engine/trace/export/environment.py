"""The environment of a session as rows of name and value: without it a figure can't be carried elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import fields

from engine.trace.events import ModelFacts, Settings
from engine.trace.export.figures import ArmReport, schemes, size
from engine.trace.export.words import Translate
from engine.trace.file import Trace


def rows(trace: Trace, arms: Sequence[ArmReport], t: Translate) -> list[tuple[str, str]]:
    header, machine = trace.header, trace.header.machine
    cores = f" · {t('{n} cores', n=machine.cores)}" if machine.cores else ""
    versions = {"Python": machine.python, "MLX": machine.mlx, "mlx-lm": machine.mlx_lm}
    listed = [
        (t("Recorded"), header.created),
        (t("Program"), header.app),
        (t("Machine"), machine.chip + cores),
        (t("Memory"), size(machine.memory_bytes)),
        (t("System"), machine.os),
        (t("Backend"), machine.backend),
        (t("Versions"), " · ".join(f"{name} {version}" for name, version in versions.items() if version)),
        (t("Notes"), " · ".join(machine.notes)),
    ]
    for arm in arms:
        if arm.started is None:
            continue
        name = f"{t('Arm')} {arm.name}"
        target, drafter = arm.started.target, arm.started.drafter
        settings = " · ".join(filter(None, [schemes(arm, t), *changed(arm.started.spec.settings)]))
        listed.append((name, settings))
        listed.append((f"{name}: {t('Target')}", model(target, t)))
        if drafter:
            listed.append((f"{name}: {t('Drafter')}", model(drafter, t)))
        if arm.metrics.warnings:
            listed.append((f"{name}: {t('Warnings')}", " · ".join(arm.metrics.warnings)))
    return [(name, value) for name, value in listed if value]


def model(facts: ModelFacts, t: Translate) -> str:
    held = t("{n} bits, held as {held}", n=facts.bits or 16, held=facts.held_as) if facts.held_as else ""
    weights = size(facts.weights_bytes) if facts.weights_bytes else ""
    return " · ".join(filter(None, [facts.name, facts.revision[:12], facts.architecture, held, weights]))


def changed(settings: Settings) -> list[str]:
    """Settings that differ from their defaults; block and temperature are said by ``scheme``."""
    return [
        f"{field.name} {getattr(settings, field.name)}"
        for field in fields(Settings)
        if field.name not in ("block", "temperature") and getattr(settings, field.name) != field.default
    ]
