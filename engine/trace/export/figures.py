"""The figures of an arm as people read them: name, value with its unit, definition. One list for all exports."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from engine.trace.events import Event, Started
from engine.trace.export.words import Translate
from engine.trace.metrics import Metrics, measure
from engine.trace.session import ArmTurn, by_arm, events_of, group
from engine.trace.verdict import Verdict, session_verdicts
from engine.trace.word import parts

NONE = "–"
GIB = 1024**3
MIB = 1024**2


class ArmReport(Struct, kw_only=True):
    """What the exports say of one arm."""

    name: str
    turns: list[ArmTurn]
    metrics: Metrics
    """Pooled over turns."""
    speedup: float | None
    """Over the first arm."""
    verdict: Verdict | None
    """Against the first arm; None for the first arm itself."""

    @property
    def started(self) -> Started | None:
        return next((entry.started for entry in self.turns if entry.started), None)


class Figure(Struct, frozen=True):
    name: str
    value: str
    definition: str


def reports(events: Sequence[Event]) -> list[ArmReport]:
    """The arms of a session, the reference first."""
    turns = group(events)
    verdicts = session_verdicts(turns)
    made: list[ArmReport] = []
    for name, entries in by_arm(turns).items():
        metrics = measure(event for entry in entries for event in events_of(entry))
        base = made[0].metrics.tokens_per_s if made else metrics.tokens_per_s
        speedup = metrics.tokens_per_s / base if base and metrics.tokens_per_s else None
        made.append(ArmReport(name=name, turns=entries, metrics=metrics, speedup=speedup, verdict=verdicts.get(name)))
    return made


def decimal(value: float | None, digits: int = 2) -> str:
    return NONE if value is None else f"{value:.{digits}f}"


def percent(value: float | None) -> str:
    return NONE if value is None else f"{value * 100:.1f} %"


def seconds(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.0f} ms" if value >= 0.01 else f"{value * 1000:.2f} ms"


def size(count: int) -> str:
    if count >= GIB:
        return f"{count / GIB:.2f} GiB"
    return f"{count / MIB:.1f} MiB" if count >= MIB else f"{count / 1024:.1f} KiB"


def speed(value: float | None, t: Translate) -> str:
    return NONE if value is None else t("{n} tok/s", n=f"{value:.1f}")


def times(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}×"


def figures(report: ArmReport, t: Translate) -> list[Figure]:
    """All figures of an arm, the important ones first."""
    m = report.metrics
    parts = f"{m.emitted} = {m.accepted} + {m.corrections} + {m.bonuses} + {m.plain}"
    acceptance = t("{n} of {whole}", n=m.accepted, whole=m.drafted)
    share = (
        NONE if m.draft_share is None else t("{share} of {n} rounds", share=percent(m.draft_share), n=m.split_rounds)
    )
    return [
        Figure(
            t("Speed"),
            speed(m.tokens_per_s, t),
            t("tokens emitted after round 0 over the arm's own time of those rounds; the prompt is not counted"),
        ),
        Figure(t("Speedup"), times(report.speedup), t("speed over that of the first arm")),
        Figure(
            t("First token"),
            seconds(m.time_to_first_token_s),
            t("the arm's own time from the prompt to the first token, mean over turns"),
        ),
        Figure(
            t("Tokens per forward"),
            decimal(m.tokens_per_forward),
            t("tokens each run of the target yielded, bonus tokens and round 0 included"),
        ),
        Figure(t("Target forwards"), str(m.target_forwards), t("runs of the target, prompt chunks not counted")),
        Figure(t("Drafter forwards"), str(m.drafter_forwards), t("runs of the drafter model; a look-up needs none")),
        Figure(t("Emitted tokens"), parts, t("accepted + corrections + bonuses + plain")),
        Figure(t("Drafted tokens"), str(m.drafted), t("drafts that the target verified")),
        Figure(
            t("Draft acceptance"),
            NONE if m.draft_acceptance_rate is None else f"{percent(m.draft_acceptance_rate)} ({acceptance})",
            t("accepted over drafted: a share of the drafts, not of the text"),
        ),
        Figure(
            t("Mean accepted length"),
            decimal(m.mean_accepted_length),
            t("1 + accepted per drafting round: the target's own token included (tau)"),
        ),
        Figure(
            t("Accepted drafts per round"),
            decimal(m.mean_accepted_drafts),
            t("accepted per drafting round: the target's own token not included (tau - 1)"),
        ),
        Figure(t("Wasted drafts"), percent(m.wasted_share), t("share of the drafts that were dropped")),
        Figure(t("Rollbacks"), str(m.rollbacks), t("rounds in which at least one draft was dropped")),
        Figure(t("Draft share of time"), share, t("time of drafting over the whole round, from rounds timed apart")),
        Figure(t("Time per token"), seconds(m.time_per_token_s), t("one over the speed")),
        Figure(
            t("Peak memory"),
            size(m.peak_bytes),
            t("largest amount the engine held at once, all arms together"),
        ),
        Figure(t("Keys and values"), size(m.kv_bytes), t("largest cache of this arm's target")),
        Figure(t("Drafter state"), size(m.drafter_state_bytes), t("largest caches and tables of this arm's drafter")),
    ]


def schemes(report: ArmReport, t: Translate) -> str:
    """The arm in a few words; where turns were run with other settings, all of them in order."""
    listed = dict.fromkeys(scheme(entry.started, t) for entry in report.turns if entry.started)
    return " / ".join(listed) or NONE


def scheme(started: Started | None, t: Translate) -> str:
    """One turn's arm: what drafts, how long a block, how it chooses."""
    if started is None:
        return NONE
    spec, chosen = started.spec, started.spec.settings
    how = t("greedy") if chosen.temperature == 0 else t("temperature {n}", n=f"{chosen.temperature:g}")
    if spec.drafter == "none":
        return f"{t('target alone')} · {how}"
    known = started.drafter.name if started.drafter else ""
    *helpers, drafter = parts(spec.drafter)
    names = {"lookup": t("look-up"), "table": t("table")}
    # What the engine says of an arm's drafter is said of the last of its parts.
    name = " + ".join(
        [*(names[part] for part in helpers), names["lookup"] if drafter == "lookup" else known or drafter]
    )
    shape = [t("block {n}", n=chosen.block), *([t("tree")] if chosen.tree else [])]
    return " · ".join([name, *shape, how])


def wilson_interval(part: int, whole: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson's score)."""
    if not whole:
        return 0.0, 1.0
    z = 1.959964
    share = part / whole
    scale = 1 + z * z / whole
    middle = (share + z * z / (2 * whole)) / scale
    half = z / scale * (share * (1 - share) / whole + z * z / (4 * whole * whole)) ** 0.5
    return max(0.0, middle - half), min(1.0, middle + half)
