"""Words for the state of a job: times, stages, numbers of cells. Pure functions."""

from __future__ import annotations

from typing import Literal

from app.i18n import translate
from app.job_state import JobState, StageState, seconds_left, share_done
from app.jobview.words import word
from engine.process.jobs import JobCell, JobProgress

Tone = Literal["pass", "near", "fail", ""]
TONES: dict[str, Tone] = {
    "pass": "pass",
    "caught": "pass",
    "near-tie": "near",
    "void": "near",
    "fail": "fail",
    "missed": "fail",
    "not caught": "fail",
}
"""By the first word of what stands in a cell."""


def duration(seconds: float) -> str:
    """``40 s``, ``12 min``, ``3 h 05 min``: rounded up, so that nothing takes 0 s."""
    if seconds < 60:
        return translate("Jobs", "{n} s").format(n=max(1, round(seconds)))
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return translate("Jobs", "{n} min").format(n=minutes)
    return translate("Jobs", "{h} h {m} min").format(h=minutes // 60, m=f"{minutes % 60:02}")


def stage_word(state: StageState) -> str:
    return {
        "waiting": translate("Jobs", "waiting"),
        "running": translate("Jobs", "at work"),
        "done": translate("Jobs", "done"),
        "stopped": translate("Jobs", "stopped here"),
        "failed": translate("Jobs", "failed here"),
        "left out": translate("Jobs", "not begun"),
    }[state]


def progress_line(state: JobState, now_s: float | None = None) -> str:
    """``42 % · 12 min left · step 3 of 10 prompts · 2.0 a second``."""
    parts = []
    share, left = share_done(state), seconds_left(state, now_s)
    if share is not None:
        parts.append(f"{100 * share:.0f} %")
    if left is not None:
        parts.append(translate("Jobs", "{time} left").format(time=duration(left)))
    detail = step_line(state.progress.get(state.stage))
    return " · ".join([*parts, detail] if detail else parts)


def step_line(progress: JobProgress | None) -> str:
    if progress is None:
        return ""
    parts = []
    if progress.total > 0:
        parts.append(
            translate("Jobs", "{done} of {total}").format(done=count(progress.done), total=count(progress.total))
        )
    elif progress.done > 0:
        parts.append(count(progress.done))
    if parts and progress.unit:
        parts[-1] += f" {word(progress.unit)}"
    if progress.per_s:
        parts.append(translate("Jobs", "{n} a second").format(n=f"{progress.per_s:.3g}"))
    if progress.note:
        parts.append(word(progress.note))
    return " · ".join(parts)


def count(value: float) -> str:
    return f"{round(value):,}".replace(",", "\u2009") if value == round(value) else f"{value:.3g}"


def cell_value(cell: JobCell) -> str:
    return word(cell.text) if cell.text or cell.value is None else figure(cell.value)


def cell_interval(cell: JobCell) -> str:
    if cell.low is None or cell.high is None:
        return ""
    return f"{figure(cell.low)} – {figure(cell.high)}"


def figure(value: float) -> str:
    """Three significant digits; whole numbers as they are."""
    if value == round(value) and abs(value) < 1e6:
        return str(round(value))
    size = abs(value)
    if size >= 1e5 or size < 1e-3:
        return f"{value:.2e}"
    return f"{value:.{0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3}f}"


def tone(text: str) -> Tone:
    """Whether what stands in a cell is good news, to be looked at, or bad news; nothing for figures."""
    plain = text.strip().lower()
    return next((tone for word, tone in TONES.items() if plain.startswith(word)), "")


def status_word(status: str) -> str:
    """Of a lab's result, as its report has it."""
    return {
        "pass": word("PASS"),
        "near-tie": word("NEAR-TIE"),
        "fail": word("FAIL"),
        "measured": translate("Jobs", "measured"),
        "stopped": translate("Jobs", "stopped"),
    }.get(status, status)
