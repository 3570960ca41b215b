"""Connects the Train page with the job that runs, and a finished drafter with the panes of the chat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QEvent, QObject, Slot
from PySide6.QtWidgets import QFileDialog

from app import paths
from app.drafters.own import OwnDrafter, own_drafters, read_own
from app.jobview.panel import Action
from app.jobview.words import said
from app.lab.desk import open_path
from app.settings.arms import with_drafter
from app.settings.drafter_folders import drafter_folders, placed, remember_folder
from app.settings.keys import Key
from app.train.page import TrainPage
from app.train.wording import scheme_choice
from app.train.words import SCHEMES, USUAL_HOURS, WEIGHTS, TrainPlan, free_folder
from engine.process.jobs import JobEnded
from engine.trace.events import Arm

if TYPE_CHECKING:
    from app.window import Window

KIND = "train"


def make_train(window: Window) -> TrainPage:
    page = TrainPage()
    TrainDesk(page, window)
    return page


class TrainDesk(QObject):
    def __init__(self, page: TrainPage, window: Window) -> None:
        super().__init__(page)
        self._page, self._window = page, window
        self._work, self._store = window.work, window.store
        self._last: TrainPlan | None = None
        self._ended_with: JobEnded | None = None
        setup = page.setup
        setup.changed.connect(self._remember)
        setup.start_wanted.connect(self._start)
        setup.folder_wanted.connect(self._choose_folder)
        setup.prompts_wanted.connect(self._choose_prompts)
        page.panel.stop_wanted.connect(self._work.jobs.stop)
        page.shelf.use_wanted.connect(self.use)
        page.shelf.folder_wanted.connect(open_path)
        page.shelf.go_on_wanted.connect(self.go_on)
        page.came.connect(self.refresh)
        self._work.jobs.changed.connect(self._show_job)
        self._work.jobs.ended.connect(self._ended)
        self._work.blocked_changed.connect(self._fit)
        window.arms.changed.connect(self._arms_changed)
        setup.set_choice(
            self._store.text(Key.TRAIN_SCHEME, SCHEMES[0]),
            self._store.number(Key.TRAIN_HOURS, round(10 * USUAL_HOURS)) / 10,
            self._store.text(Key.TRAIN_PROMPTS),
        )
        setup.set_folder(str(self.base))
        self._arms_changed(window.arms.arms)
        self._fit()

    @property
    def base(self) -> Path:
        """Where new drafters go, a folder each."""
        return placed(self._store.text(Key.TRAIN_DIR) or paths.drafters_dir())

    # --- before

    @Slot()
    def refresh(self) -> None:
        self._page.shelf.show_drafters(own_drafters(drafter_folders(self._store)), self._stopped())
        self._show_job()
        self._fit()

    @Slot(object)
    def _arms_changed(self, arms: tuple[Arm, ...]) -> None:
        self._page.setup.set_target(arms[0].target)

    @Slot()
    def _remember(self) -> None:
        setup = self._page.setup
        self._store.set(Key.TRAIN_SCHEME, setup.chosen_scheme)
        self._store.set(Key.TRAIN_HOURS, round(10 * setup.hours.value()))
        self._store.set(Key.TRAIN_PROMPTS, setup.chosen_prompts)

    @Slot()
    def _choose_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(
            self._window, self.tr("Each drafter gets a folder of its own in…"), str(self.base)
        )
        if folder:
            remember_folder(self._store, self.base)
            self._store.set(Key.TRAIN_DIR, folder)
            remember_folder(self._store, folder)
            self._page.setup.set_folder(str(self.base))
            self.refresh()

    @Slot()
    def _choose_prompts(self) -> None:
        file, _ = QFileDialog.getOpenFileName(
            self._window, self.tr("A file with your prompts"), str(Path.home()), self.tr("Text (*.txt *.jsonl *.md)")
        )
        self._page.setup.set_prompts(file or self._page.setup.chosen_prompts)

    @Slot()
    def _start(self) -> None:
        setup, target = self._page.setup, self._window.arms.arms[0].target
        out = free_folder(self.base, target, setup.chosen_scheme)
        self._begin(TrainPlan(setup.chosen_scheme, target, str(out), setup.hours.value(), setup.chosen_prompts))

    def _begin(self, plan: TrainPlan) -> None:
        self._last, self._ended_with = plan, None
        if self._work.start(KIND, plan.words, WEIGHTS):
            remember_folder(self._store, Path(plan.out).parent)
            self._remember_target(plan)
            self._remember_unfinished(plan, True)
            self._page.panel.show_end("", False, [])
            self._page.show_setup(False)
            self._page.panel.stop.setFocus()
            self._show_job()

    def _targets(self) -> dict[str, str]:
        """By folder: the target that a drafter was trained for here, as an arm names it."""
        try:
            return msgspec.json.decode(self._store.text(Key.TRAIN_TARGETS, "{}"), type=dict[str, str])
        except msgspec.MsgspecError:
            return {}

    def _remember_target(self, plan: TrainPlan) -> None:
        targets = {folder: target for folder, target in self._targets().items() if Path(folder).exists()}
        targets[plan.out] = plan.target
        self._store.set(Key.TRAIN_TARGETS, msgspec.json.encode(targets).decode())

    # --- what was stopped, in this session or an earlier one

    def _unfinished(self) -> dict[str, TrainPlan]:
        """By folder: what was begun here and isn't done."""
        try:
            return msgspec.json.decode(self._store.text(Key.TRAIN_UNFINISHED, "{}"), type=dict[str, TrainPlan])
        except msgspec.MsgspecError:
            return {}

    def _remember_unfinished(self, plan: TrainPlan, is_unfinished: bool) -> None:
        plans = {folder: other for folder, other in self._unfinished().items() if other.work.is_dir()}
        plans.pop(plan.out, None)
        if is_unfinished:
            plans[plan.out] = plan
        self._store.set(Key.TRAIN_UNFINISHED, msgspec.json.encode(plans).decode())

    def _stopped(self) -> list[TrainPlan]:
        """Newest first; the one at work isn't among them."""
        at_work = self._last.out if self._last and self._is_at_work() else ""
        return [plan for plan in reversed(self._unfinished().values()) if plan.out != at_work and plan.work.is_dir()]

    def _is_at_work(self) -> bool:
        return self._work.jobs.running and self._work.jobs.state.kind == KIND

    @Slot(object)
    def go_on(self, plan: TrainPlan) -> None:
        self._begin(plan)
        self.refresh()

    @Slot()
    def _fit(self) -> None:
        blocked = self._work.blocked()
        self._page.setup.set_blocked(blocked)
        self._page.shelf.set_can_start(not blocked)
        self._page.shelf.set_can_use(not self._window.runner.running)

    # --- while it runs

    @Slot()
    def _show_job(self) -> None:
        state = self._work.jobs.state
        if state.kind != KIND or self._last is None or not self._page.isVisible():
            return
        if self._page.left.currentIndex() == 1:
            self._page.panel.show_job(scheme_choice(self._last.scheme), state, self._work.jobs.stopping, {})
        self._page.show_state(state)

    @Slot(object)
    def _ended(self, ended: JobEnded) -> None:
        if self._work.jobs.state.kind == KIND:
            self._ended_with = ended
            if self._last is not None and ended.status == "done":
                self._remember_unfinished(self._last, False)
            self._show_end()
            self.refresh()

    def _show_end(self) -> None:
        ended, plan = self._ended_with, self._last
        if ended is None or plan is None:
            return
        folders = [Path(file) for file in (*ended.files, plan.out) if Path(file).is_dir()]
        made = next((own for folder in folders if (own := read_own(folder)) is not None), None)
        actions: list[Action] = []
        if made is not None:
            actions.append((self.tr("Use in Chat"), lambda: self.use(made)))
        if ended.status != "done" and (folders or plan.work.is_dir()):
            actions.append((self.tr("Go On Training"), lambda: self._begin(plan)))
        if folders:
            actions.append((self.tr("Show in Folder"), lambda: open_path(folders[0])))
        actions.append((self.tr("New Drafter"), self._new))
        sentence = said(ended.message)
        if ended.status == "stopped" and made is None and plan.work.is_dir():
            sentence = self.tr("Stopped before there was a drafter. What is done is kept, to go on with at any time.")
        elif ended.status == "done":
            ready = self.tr("The drafter is ready, and stands in the drafter menu of every pane.")
            sentence = f"{ready} {sentence}".strip()
        self._page.panel.show_end(sentence, ended.status == "failed", actions)

    @Slot()
    def _new(self) -> None:
        self._page.show_setup(True)
        self._page.setup.scheme.setFocus()
        self._fit()

    # --- after

    @Slot(object)
    def use(self, drafter: OwnDrafter) -> None:
        """The pane that drafts gets it, together with the model it was trained for; the chat comes to the front."""
        window = self._window
        if window.runner.running:
            window.status.say(self.tr("An answer is being written: stop it, or wait for its end."))
            return
        window.desk.close()
        target = self._targets().get(str(drafter.folder), "")
        window.arms.set(with_drafter(window.arms.arms, str(drafter.folder), target))
        window.show_page("chat")
        if window.link.process_id == 0 and not self._work.jobs.running:
            window.runner.open(window.arms.arms)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LanguageChange:
            self._show_end()
            self._show_job()
            self._fit()
        return super().event(event)
