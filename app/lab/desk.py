"""Connects the Lab page with the job that runs: what a plan stands for, what is shown when, what is remembered."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QEvent, QFile, QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from app import paths
from app.jobview.panel import Action
from app.jobview.words import said
from app.lab.page import LabPage
from app.lab.runs import REPORT, Run, find_runs, statuses_in, traces_of
from app.lab.wording import plan_title
from app.lab.words import LABS, PLANS, LabPlan
from app.settings.keys import Key
from engine.process.jobs import JobCell, JobEnded
from engine.trace.events import Arm

if TYPE_CHECKING:
    from app.window import Window

KIND = "lab"


def make_lab(window: Window) -> LabPage:
    page = LabPage()
    LabDesk(page, window)
    return page


class LabDesk(QObject):
    def __init__(self, page: LabPage, window: Window) -> None:
        super().__init__(page)
        self._page, self._window = page, window
        self._work, self._store = window.work, window.store
        self._last: LabPlan | None = None
        self._ended_with: JobEnded | None = None
        self._badges: dict[str, str] = {}
        self._badge_stage = ""
        setup, runs = page.setup, page.runs
        setup.changed.connect(self._remember)
        setup.start_wanted.connect(self._start_chosen)
        setup.folder_wanted.connect(self._choose_folder)
        page.panel.stop_wanted.connect(self._work.jobs.stop)
        page.results.traces_wanted.connect(self._show_cell)
        page.came.connect(self.refresh)
        runs.report_wanted.connect(self._open_report)
        runs.folder_wanted.connect(lambda run: open_path(run.path))
        runs.traces_wanted.connect(lambda run: self._show_traces(traces_of(run.path), run.path.name))
        runs.go_on_wanted.connect(self._go_on_run)
        runs.trash_wanted.connect(self._trash)
        self._work.jobs.changed.connect(self._show_job)
        self._work.jobs.ended.connect(self._ended)
        self._work.blocked_changed.connect(self._fit)
        window.arms.changed.connect(setup.set_arms)
        setup.set_arms(window.arms.arms)
        labs = tuple(lab for lab in LABS if lab in self._store.strings(Key.LAB_LABS)) or LABS
        setup.set_choice(labs, self._store.text(Key.LAB_PLAN, PLANS[0]))
        setup.set_folder(str(self.base))
        self._fit()

    @property
    def base(self) -> Path:
        """Where new runs go."""
        return Path(self._store.text(Key.LAB_DIR) or paths.lab_dir())

    # --- before a run

    @Slot()
    def refresh(self) -> None:
        self._page.runs.show_runs(find_runs(paths.lab_dir(), self._store.strings(Key.LAB_RUNS)))
        self._show_job()
        self._fit()

    @Slot()
    def _remember(self) -> None:
        self._store.set(Key.LAB_LABS, msgspec.json.encode(self._page.setup.labs).decode())
        self._store.set(Key.LAB_PLAN, self._page.setup.plan)

    @Slot()
    def _choose_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(
            self._window, self.tr("Each run gets a folder of its own in…"), str(self.base)
        )
        if folder:
            self._store.set(Key.LAB_DIR, folder)
            self._page.setup.set_folder(folder)

    @Slot()
    def _start_chosen(self) -> None:
        setup = self._page.setup
        out = self.base / datetime.now(UTC).astimezone().strftime("%Y-%m-%d-%H%M%S")
        self._start(setup.arms, setup.labs, setup.plan, out)

    def _start(self, arms: tuple[Arm, ...], labs: tuple[str, ...], plan: str, out: Path) -> None:
        language = "zh" if self._window.language.current.startswith("zh") else "en"
        self._last, self._ended_with = LabPlan(arms, labs, plan, str(out), language), None
        self._badges, self._badge_stage = {}, ""
        if not self._work.start(KIND, self._last.words):
            return
        if out.parent != paths.lab_dir():
            self._store.push_recent(Key.LAB_RUNS, str(out))
        self._page.panel.show_end("", False, [])
        self._page.show_setup(False)
        self._page.show_right(self._page.results)
        self._page.panel.stop.setFocus()
        self._show_job()

    @Slot()
    def _fit(self) -> None:
        blocked = self._work.blocked()
        self._page.setup.set_blocked(blocked)
        self._page.runs.set_can_start(not blocked)

    # --- while it runs

    @Slot()
    def _show_job(self) -> None:
        state = self._work.jobs.state
        if state.kind != KIND or self._page.left.currentIndex() == 0 or not self._page.isVisible():
            return
        if state.out and (state.stage != self._badge_stage or state.ended is not None):
            self._badge_stage, self._badges = state.stage, statuses_in(Path(state.out))
        title = self.tr("{plan} run").format(plan=plan_title(self._last.plan)) if self._last else ""
        self._page.panel.show_job(title, state, self._work.jobs.stopping, self._badges)
        self._page.results.show_state(state)

    @Slot(object)
    def _ended(self, ended: JobEnded) -> None:
        if self._work.jobs.state.kind == KIND:
            self._ended_with, self._badge_stage = ended, ""
            self._show_end()
            self.refresh()

    def _show_end(self) -> None:
        ended, last = self._ended_with, self._last
        if ended is None or last is None:
            return
        out = Path(last.out)
        actions: list[Action] = []
        if (out / REPORT).is_file():
            actions.append((self.tr("Open Report"), lambda: open_path(out / REPORT)))
        if ended.status != "done" and out.is_dir():
            actions.append((self.tr("Go On"), lambda: self._start(last.arms, last.labs, last.plan, out)))
        if out.is_dir():
            actions.append((self.tr("Show in Folder"), lambda: open_path(out)))
        actions.append((self.tr("New Run"), self._new_run))
        if ended.status == "stopped" and ended.files:
            sentence = self.tr("Stopped. What is done is kept; Go On runs the rest.")
        else:
            sentence = said(ended.message) or self.tr("Done. The report says what was found, in sentences.")
        self._page.panel.show_end(sentence, ended.status == "failed", actions)

    @Slot()
    def _new_run(self) -> None:
        self._page.show_setup(True)
        self._page.show_right(self._page.runs)
        self._page.setup.start.setFocus()
        self.refresh()

    # --- what a run left

    @Slot(object)
    def _show_cell(self, cell: JobCell) -> None:
        self._show_traces([Path(trace) for trace in cell.traces], f"{cell.table} · {cell.row} · {cell.column}")

    def _show_traces(self, files: list[Path], title: str) -> None:
        self._window.traces.show_only(files, title)
        self._window.show_page("traces")

    @Slot(object)
    def _open_report(self, run: Run) -> None:
        if run.report is not None:
            open_path(run.report)

    @Slot(object)
    def _go_on_run(self, run: Run) -> None:
        self._start(run.arms, LABS, run.plan, run.path)

    @Slot(object)
    def _trash(self, run: Run) -> None:
        state = self._work.jobs.state
        if self._work.jobs.running and Path(state.out) == run.path:
            self._window.status.say(lambda: self.tr("This run is at work: stop it first."))
        elif not QFile.moveToTrash(str(run.path)):
            name = run.path.name
            self._window.status.say(lambda: self.tr("{name} can't be moved to the trash.").format(name=name))
        self.refresh()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LanguageChange:
            self._show_end()
            self._show_job()
            self._fit()
        return super().event(event)


def open_path(path: Path) -> bool:
    """In the system's browser or file manager."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
