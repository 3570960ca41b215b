"""What the schemes are and what the stages of training do, in one line each. Pure functions."""

from __future__ import annotations

from app.i18n import translate

NAMES = {"A": "EAGLE", "B": "DFlash", "C": "DSpark", "D": "DFlash 2"}


def scheme_choice(scheme: str) -> str:
    """``B · DFlash``."""
    if scheme == "table":
        return translate("Train", "Table of frequent sequences")
    return f"{scheme} · {NAMES[scheme]}" if scheme in NAMES else f"{scheme} · " + translate("Schemes", "cascade")


def scheme_note(scheme: str) -> str:
    return {
        "A": translate("Train", "One small forward for each drafted token."),
        "B": translate("Train", "One forward drafts the whole block at once. The one to begin with."),
        "C": translate("Train", "As B, and a light serial head lets each token know its predecessor."),
        "D": translate("Train", "As B, with neighbours mixed inside and the best candidates chosen."),
        "E": translate("Train", "From its first layer on each position sees what its predecessor is about to say."),
        "table": translate("Train", "Counts what followed what in the text; it costs no forward at all."),
    }[scheme]


def stage_title(stage: str) -> str:
    return {
        "text": translate("Train", "Text"),
        "taps": translate("Train", "Hidden states"),
        "train": translate("Train", "Training"),
        "evaluate": translate("Train", "Evaluation"),
        "save": translate("Train", "Saving"),
    }.get(stage, stage)
