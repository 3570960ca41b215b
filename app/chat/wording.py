"""Sentences of the chat page: titles of arms, summaries of settings, verdicts, sentences over a token.

Pure functions of the records. Numbers are written the same way everywhere because they are written here.
"""

from __future__ import annotations

import math
from pathlib import PurePath

from app.chat.spans import Token
from app.drafters.schemes import Scheme, choice_of, scheme_of
from app.drafters.wording import scheme_title
from app.figures import NONE
from app.i18n import translate
from engine.trace.events import Arm, Round, Settings
from engine.trace.metrics import Metrics, differs
from engine.trace.verdict import Verdict

QUIET_VERDICTS = ("fits", "can't tell")
"""Of a check whether drafter and target belong together; the others are warnings."""


def arm_title(name: str) -> str:
    """What a pane is called; names that a person gave stay as they are."""
    stem = name.rstrip("0123456789 ")
    number = name[len(stem) :].strip()
    if stem == "baseline":
        title = translate("Wording", "Baseline")
    elif stem == "speculative":
        title = translate("Wording", "Speculative")
    else:
        return name
    return f"{title} {number}" if number else title


def target_title(target: str) -> str:
    return "SmolLM2 135M · 4-bit" if target == "embedded" else PurePath(target).name or target


def speaker(target: str) -> str:
    """What an answer is headed with: the model's name, as short as it is known before the model is loaded."""
    return target_title(target).split(" · ")[0]


def drafter_title(drafter: str, scheme: Scheme) -> str:
    """The scheme's name; of a small model, or where the scheme isn't known yet, the drafter's own."""
    name = choice_of(drafter).drafter
    if scheme is Scheme.MODEL:
        return f"A · {speaker(name)}"
    return scheme_title(scheme) or PurePath(name).name


def settings_summary(arm: Arm, scheme: Scheme | None = None) -> str:
    """``D · DFlash 2 · block 8 · look-up first``, ``E · cascade · block 8 · table + look-up``; without a
    scheme the one that the drafter's name or folder tells.
    """
    parts = []
    if arm.drafter == "none":
        parts.append(translate("Wording", "one token a forward"))
    else:
        choice = choice_of(arm.drafter)
        parts.append(drafter_title(arm.drafter, scheme_of(arm.drafter) if scheme is None else scheme))
        parts.append(translate("Wording", "block {n}").format(n=arm.settings.block))
        if choice.table:
            both = choice.lookup_first
            parts.append(translate("Wording", "table + look-up") if both else translate("Wording", "with table"))
            if arm.settings.tree:
                parts.append(translate("Wording", "tree"))
        elif choice.lookup_first:
            parts.append(translate("Wording", "look-up first"))
    if arm.settings.kv_bits:
        parts.append(translate("Wording", "{n}-bit cache").format(n=arm.settings.kv_bits))
    return " · ".join(parts)


def sampling_summary(arms: tuple[Arm, ...], same: bool) -> str:
    settings = arms[0].settings
    parts = [
        translate("Wording", "both panes, same prompt")
        if len(arms) == 2
        else translate("Wording", "all panes, same prompt"),
        sampling(settings) if same else translate("Wording", "sampling differs between panes"),
    ]
    if same:
        parts.append(translate("Wording", "seed {n}").format(n=settings.seed))
    return " · ".join(parts if len(arms) > 1 else parts[1:])


def sampling(settings: Settings) -> str:
    if settings.temperature == 0:
        return translate("Wording", "greedy")
    parts = [translate("Wording", "temperature {n}").format(n=f"{settings.temperature:g}")]
    if settings.top_p < 1:
        parts.append(f"top-p {settings.top_p:g}")
    if settings.top_k:
        parts.append(f"top-k {settings.top_k}")
    if settings.min_p:
        parts.append(f"min-p {settings.min_p:g}")
    return " ".join(parts)


def verdict_sentence(verdict: Verdict | None, pane: str = "") -> str:
    """One line for the verdict; ``pane`` names the pane it is about where there is more than one besides the first."""
    if verdict is None:
        return translate("Wording", "The verdict on the texts will stand here")
    margin = NONE if verdict.margin is None else f"{verdict.margin:.3g}"
    number = 0 if verdict.first_difference is None else verdict.first_difference
    if verdict.status == "identical":
        text = (
            translate("Wording", "Identical so far ({n} tokens)")
            if verdict.running
            else translate("Wording", "Identical ({n} tokens)")
        )
        sentence = text.format(n=verdict.tokens)
    elif verdict.status == "near-tie":
        sentence = translate("Wording", "Near-tie at token {n} (margin {margin})").format(n=number, margin=margin)
    elif verdict.status == "sampled":
        sentence = translate("Wording", "Sampled: the texts may differ token by token")
    elif verdict.status == "not-comparable":
        sentence = translate("Wording", "These panes can't be compared token by token")
    elif not verdict.own_choice:
        sentence = translate("Wording", "Fault: token {n} is not the target's own choice").format(n=number)
    else:
        sentence = translate("Wording", "Differs at token {n} (margin {margin})").format(n=number, margin=margin)
    return f"{pane}: {sentence}" if pane else sentence


def token_sentence(token: Token, item: Round | None) -> str:
    """What there is to know of one token, in one sentence."""
    names = {
        "accepted": translate("Wording", "Accepted draft"),
        "correction": translate("Wording", "Correction by the target"),
        "bonus": translate("Wording", "Bonus token of the target"),
        "plain": translate("Wording", "Plain token of the target"),
    }
    parts = [names[token.origin], translate("Wording", "round {n}").format(n=token.round_index)]
    if item is not None:
        if token.origin == "accepted" and token.place < len(item.draft_p):
            parts.append(f"p {item.draft_p[token.place]:.2f}")
        if token.origin == "correction" and token.place < len(item.draft_texts):
            parts.append(
                translate("Wording", "drafted “{text}”").format(text=item.draft_texts[token.place].strip() or "␣")
            )
        if token.place < len(item.margins):
            parts.append(translate("Wording", "margin {n}").format(n=f"{item.margins[token.place]:.2g}"))
    return " · ".join(parts)


def speed(metrics: Metrics) -> str:
    value = metrics.tokens_per_s
    return NONE if value is None else f"{value:.0f}" if value >= 1000 else f"{value:.1f}"


def ratio(metrics: Metrics, first: Metrics | None) -> str:
    """Speed over the first pane's; empty where either has none yet."""
    if first is None or not metrics.tokens_per_s or not first.tokens_per_s:
        return ""
    return f"{metrics.tokens_per_s / first.tokens_per_s:.2f}×"


def ratio_role(metrics: Metrics, first: Metrics | None) -> str:
    """``ratio`` faster, ``slower``, or nothing where the two speeds lie within the scatter of their rounds."""
    if first is None or not differs(metrics, first):
        return ""
    return "ratio" if (metrics.tokens_per_s or 0) > (first.tokens_per_s or 0) else "slower"


def ratio_spread(metrics: Metrics, first: Metrics | None) -> str:
    """How far rounds let the ratio scatter, 95 of 100 times; empty before that is known."""
    if first is None or not metrics.tokens_per_s or not first.tokens_per_s:
        return ""
    if metrics.tokens_per_s_error is None or first.tokens_per_s_error is None:
        return ""
    value = metrics.tokens_per_s / first.tokens_per_s
    width = math.exp(2 * math.hypot(metrics.tokens_per_s_error, first.tokens_per_s_error))
    return translate("Wording", "From the scatter of the rounds: {low} to {high}").format(
        low=f"{value / width:.2f}×", high=f"{value * width:.2f}×"
    )


def alarm(metrics: Metrics | None) -> str:
    """What a person must know of this run besides its numbers; empty where there is nothing. The engine's first warning
    stands for all that follow: they differ in their counts only.
    """
    if metrics is None:
        return ""
    if metrics.warnings:
        return metrics.warnings[0]
    if metrics.fallback_rounds:
        return translate("Wording", "The drafter was left out in {n} rounds: it cost more than it brought.").format(
            n=metrics.fallback_rounds
        )
    return ""


def check_line(verdict: str) -> str:
    """A quiet verdict on a pair, in one line."""
    if verdict == "fits":
        return translate("Wording", "The drafter fits this target.")
    return translate("Wording", "Whether the drafter fits this target can't be told yet.")


def time_left(done: int, total: int, spent_s: float) -> str:
    """Rounded up to whole seconds, from the pace so far; empty before there is a pace."""
    if done <= 0 or total <= done or spent_s <= 0:
        return ""
    left = spent_s / done * (total - done)
    return translate("Wording", "{n} s left").format(n=max(1, round(left)))
