"""Names of drafting schemes, and why a setting changes nothing under one of them."""

from __future__ import annotations

from app.drafters.schemes import LETTERS, Scheme
from app.i18n import translate

PROPER_NAMES = {
    Scheme.EAGLE: "EAGLE-3",
    Scheme.RECURRENT: "EAGLE",
    Scheme.DFLASH: "DFlash",
    Scheme.DSPARK: "DSpark",
    Scheme.DOMINO: "Domino",
    Scheme.DFLASH2: "DFlash 2",
}


def scheme_name(scheme: Scheme) -> str:
    """``look-up``, ``DFlash 2``, ``small model``; empty for an unknown one."""
    if scheme in PROPER_NAMES:
        return PROPER_NAMES[scheme]
    return {
        Scheme.NONE: translate("Schemes", "no drafter"),
        Scheme.LOOKUP: translate("Schemes", "look-up"),
        Scheme.TABLE: translate("Schemes", "table"),
        Scheme.MODEL: translate("Schemes", "small model"),
        Scheme.CASCADE: translate("Schemes", "cascade"),
    }.get(scheme, "")


def scheme_title(scheme: Scheme) -> str:
    """With its letter, where it has one: ``D · DFlash 2``."""
    letter = LETTERS.get(scheme, "")
    return f"{letter} · {scheme_name(scheme)}" if letter else scheme_name(scheme)


def source_title(source: str, scheme: Scheme) -> str:
    """A round's source in words; one that isn't known stays as the engine wrote it."""
    return scheme_title(scheme) or source


def unread(setting: str, scheme: Scheme) -> str:
    """One sentence: why a setting changes nothing under this scheme."""
    if scheme is Scheme.NONE:
        return translate("Schemes", "Without a drafter there is nothing to draft: the target alone decides each token.")
    name = scheme_name(scheme)
    sentences = {
        "candidate_width": translate(
            "Schemes",
            "Only schemes D and E, and a drafter weighed against the table, choose among candidates; {name} keeps "
            "none.",
        ),
        "injected_layers": translate("Schemes", "Only scheme E injects predictions into its layers; {name} does not."),
        "confidence_threshold": translate(
            "Schemes",
            "Only scheme C, the table, and a drafter weighed against it say how sure they are; {name} does not.",
        ),
        "tree": translate("Schemes", "Only a drafter that is weighed against the table drafts a tree."),
        "timing_every": translate(
            "Schemes", "Only a drafter with forwards of its own is timed apart; {name} has none."
        ),
    }
    return sentences.get(setting, "").format(name=name)
