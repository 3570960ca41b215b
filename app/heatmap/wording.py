"""The heatmap's sentences: what a cell, a column or an arm's rounds say in words.

Numbers come in, translated text goes out. Token texts are shown with their white space made visible, since a draft
often differs from the target's choice by a space alone.
"""

from __future__ import annotations

from html import escape

from app.drafters.schemes import scheme_of_name
from app.drafters.wording import source_title
from app.figures import number
from app.heatmap.cells import Outcome, number_at, outcome
from app.i18n import translate
from engine.trace.events import Round
from engine.trace.metrics import Metrics
from engine.trace.of_round import accepted_of

FEW_ROUNDS = 20
"""Below this n a conditional acceptance is shown dimmed."""
MOST_BESIDE = 7
"""Other drafts of a position that are named."""


def outcome_text(found: Outcome) -> str:
    match found:
        case Outcome.ACCEPTED:
            return translate("Heatmap", "accepted")
        case Outcome.REJECTED:
            return translate("Heatmap", "rejected")
        case Outcome.NEVER_REACHED:
            return translate("Heatmap", "never reached")
        case Outcome.CUT:
            return translate("Heatmap", "cut off by a stop or the token limit")
        case Outcome.NOT_DRAFTED:
            return translate("Heatmap", "not drafted")


def reason_text(reason: str) -> str:
    """Why a block is narrower than asked for; an unknown reason stays as the engine wrote it."""
    known = {
        "no match": translate("Heatmap", "no match was found"),
        "drafter": translate("Heatmap", "the drafter proposed no more"),
        "max tokens": translate("Heatmap", "the token limit is near"),
        "context": translate("Heatmap", "the context is nearly full"),
        "fallback": translate("Heatmap", "the drafter is resting because it costs more than it brings"),
        "confidence": translate("Heatmap", "the drafter was not confident enough"),
        "tree": translate("Heatmap", "rows were spent on branches"),
    }
    return known.get(reason, reason)


def drafter_text(source: str) -> str:
    """Who drafted a round, in words."""
    return source_title(source, scheme_of_name(source))


def visible(token: str) -> str:
    return "“" + token.replace("\n", "⏎").replace("\t", "⇥").replace(" ", "␣") + "”"


def share(value: float) -> str:
    """Two digits without the leading zero: .81, 1.0."""
    return f"{value:.2f}".lstrip("0") if round(value, 2) < 1 else "1.0"


def beside(round_: Round, position: int) -> str:
    """What else a tree drafted at a position; empty where nothing."""
    texts = round_.sibling_texts[position - 1] if position <= len(round_.sibling_texts) else ()
    return " · ".join(visible(text) for text in texts[:MOST_BESIDE])


def facts(round_: Round, position: int) -> list[tuple[str, str]]:
    """Label and value of everything known about a cell, in reading order."""
    rows = [
        (translate("Heatmap", "Round"), str(round_.index)),
        (translate("Heatmap", "Position"), str(position)),
        (translate("Heatmap", "Outcome"), outcome_text(outcome(round_, position))),
    ]
    if position <= round_.width:
        if position <= len(round_.draft_texts):
            rows.append((translate("Heatmap", "Draft"), visible(round_.draft_texts[position - 1])))
        if others := beside(round_, position):
            rows.append((translate("Heatmap", "Also drafted"), others))
        if position <= len(round_.target_texts):
            rows.append((translate("Heatmap", "Target's choice"), visible(round_.target_texts[position - 1])))
        rows += [
            (translate("Heatmap", "Target's p"), number(number_at(round_.draft_p, position), 3)),
            (translate("Heatmap", "Drafter's q"), number(number_at(round_.draft_q, position), 3)),
            (translate("Heatmap", "Margin"), number(number_at(round_.margins, position), 2)),
        ]
    if round_.source:
        rows.append((translate("Heatmap", "Drafter"), drafter_text(round_.source)))
    width = translate("Heatmap", "{used} of {requested}").format(used=round_.width, requested=round_.requested_width)
    rows.append((translate("Heatmap", "Width"), width))
    if round_.tree_rows:
        rows.append((translate("Heatmap", "Rows of the tree"), str(round_.tree_rows)))
    if round_.width_reason:
        rows.append((translate("Heatmap", "Because"), reason_text(round_.width_reason)))
    if round_.warning:
        rows.append((translate("Heatmap", "Warning"), round_.warning))
    return rows


def cell_html(round_: Round, position: int) -> str:
    """Tooltip of a cell. Token texts are escaped: they are data, not markup."""
    lines = "".join(
        f"<tr><td style='padding-right:12px'>{escape(label)}</td><td><b>{escape(value)}</b></td></tr>"
        for label, value in facts(round_, position)
    )
    return f"<table cellspacing='0' cellpadding='1'>{lines}</table>"


def cell_sentence(round_: Round, position: int) -> str:
    """The same for screen readers."""
    return ", ".join(f"{label} {value}" for label, value in facts(round_, position))


def row_sentence(round_: Round) -> str:
    """Hover text of a row's label."""
    said = translate(
        "Heatmap", "Round {round} of turn {turn}: {accepted} of {width} drafts accepted, {emitted} tokens emitted"
    )
    return said.format(
        round=round_.index,
        turn=round_.turn,
        accepted=accepted_of(round_),
        width=round_.width,
        emitted=round_.emitted_tokens,
    )


def column_counts(metrics: Metrics, position: int) -> tuple[int, int]:
    """Drafts accepted at a position, and drafts that the target judged there."""
    if position > len(metrics.reached_by_position):
        return 0, 0
    return metrics.accepted_by_position[position - 1], metrics.reached_by_position[position - 1]


def column_sentence(metrics: Metrics, position: int) -> str:
    accepted, reached = column_counts(metrics, position)
    if reached == 0:
        return translate("Heatmap", "Position {position}: no draft was reached here yet").format(position=position)
    said = translate(
        "Heatmap",
        "Position {position}: of {reached} drafts the target looked at here, {accepted} were accepted ({share})",
    ).format(position=position, reached=reached, accepted=accepted, share=share(accepted / reached))
    if reached < FEW_ROUNDS:
        said += ". " + translate("Heatmap", "So few rounds make a rough number")
    return said


def summary(metrics: Metrics) -> str:
    if metrics.mean_accepted_drafts is None:
        said = translate("Heatmap", "{rounds} rounds, none with drafts").format(rounds=f"{metrics.rounds:,}")
    else:
        said = translate("Heatmap", "{rounds} rounds · {accepted} of {drafted} drafts accepted a round").format(
            rounds=f"{metrics.rounds:,}",
            accepted=f"{metrics.mean_accepted_drafts:.2f}",
            drafted=f"{metrics.drafted / metrics.drafting_rounds:.1f}",
        )
    if metrics.turns > 1:
        return translate("Heatmap", "All {n} answers: {summary}").format(n=metrics.turns, summary=said)
    return said
