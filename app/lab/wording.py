"""Names of the labs and the question each of them answers. Pure functions."""

from __future__ import annotations

from app.i18n import translate


def lab_title(lab: str) -> str:
    return {
        "lossless": translate("Lab", "Lossless"),
        "sampling": translate("Lab", "Sampling"),
        "profile": translate("Lab", "Profile"),
        "sweep": translate("Lab", "Sweep"),
        "attribution": translate("Lab", "Attribution"),
        "concurrency": translate("Lab", "Concurrency"),
        "stability": translate("Lab", "Stability"),
        "report": translate("Lab", "Report"),
    }.get(lab, lab)


def lab_question(lab: str) -> str:
    return {
        "lossless": translate("Lab", "Is the text exactly the model's own?"),
        "sampling": translate("Lab", "Do sampled tokens keep its probabilities?"),
        "profile": translate("Lab", "Which positions are accepted, in which text?"),
        "sweep": translate("Lab", "Which block, width, temperature, context?"),
        "attribution": translate("Lab", "Cheap drafts, or long acceptance?"),
        "concurrency": translate("Lab", "What is left with several requests at once?"),
        "stability": translate("Lab", "Odd input, cancels, long runs?"),
    }[lab]


def plan_title(plan: str) -> str:
    return translate("Lab", "Quick") if plan == "quick" else translate("Lab", "Full")


def plan_note(plan: str) -> str:
    if plan == "quick":
        return translate("Lab", "Twelve prompts, short answers, few steps.")
    return translate("Lab", "Every prompt, long answers, fine steps: leave it running for hours.")
