"""Connects the Models page with what carries it out: the list of what is on disk, jobs that fetch, convert and remove,
and the panes of the chat.

Fetching runs beside everything else, one after the other. Converting loads a model and is heavy work, so it waits for
the chat and the lab as they wait for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QFile, QObject, Slot
from PySide6.QtWidgets import QFileDialog, QMessageBox

from app.chat.wording import target_title
from app.drafters.schemes import choice_of
from app.jobs import JobRunner
from app.models import wording, words
from app.models.page import ModelsPage
from app.models.reader import ShelfReader
from app.settings.arms import drafting_with
from app.settings.keys import Key
from app.settings.preferences import DEFAULT_RESERVE_GB
from engine import paths
from engine.process.jobs import JobEnded
from engine.process.shelf import OnDisk, Shelf

if TYPE_CHECKING:
    from app.window import Window

PULL, QUANTIZE, REMOVE = "pull", "quantize", "remove"


def make_models(window: Window) -> ModelsPage:
    page = ModelsPage()
    window.models = ModelsDesk(page, window)
    return page


class ModelsDesk(QObject):
    def __init__(self, page: ModelsPage, window: Window) -> None:
        super().__init__(page)
        self._page, self._window, self._store = page, window, window.store
        self.jobs = JobRunner(window.link.log_path.parent, log_name="models", parent=self)
        self.reader = ShelfReader(parent=self)
        self.queue = words.PullQueue()
        self._repos: tuple[str, ...] = ()
        self._removing: OnDisk | None = None
        self._name = ""
        self._closing = False
        page.came.connect(self.refresh)
        page.pull_wanted.connect(self.pull)
        page.use_wanted.connect(self.use)
        page.quantize_wanted.connect(self.quantize)
        page.remove_wanted.connect(self.remove)
        page.folder_wanted.connect(self.choose_folder)
        page.forget_folder_wanted.connect(self.forget_folder)
        page.strip.stop_wanted.connect(self.stop)
        page.strip.resume_wanted.connect(self.resume)
        page.strip.dismissed.connect(page.strip.hide)
        self.jobs.changed.connect(self._show_job)
        self.jobs.running_changed.connect(lambda _: window.keep_awake())
        self.jobs.ended.connect(self._ended)
        self.reader.ready.connect(self._shelf)
        self.reader.failed.connect(page.show_problem)

    @property
    def where(self) -> words.Where:
        reserve_gb = self._store.number(Key.MEMORY_RESERVE_GB, DEFAULT_RESERVE_GB)
        folders = tuple(self._store.strings(Key.MODEL_FOLDERS))
        return words.Where(folders, self._store.text(Key.ENDPOINT).strip(), reserve_gb)

    @Slot()
    def refresh(self) -> None:
        if not self._closing:
            self.reader.read(words.list_words(self.where))

    @Slot(object)
    def preference_changed(self, key: Key) -> None:
        if key in (Key.MODEL_FOLDERS, Key.ENDPOINT, Key.MEMORY_RESERVE_GB) and self._page.isVisible():
            self.refresh()

    @Slot(object)
    def _shelf(self, shelf: Shelf) -> None:
        self._page.show_shelf(shelf, self.where.folders)

    def close(self) -> None:
        """Ends what runs; a fetch keeps what it has."""
        self._closing = True
        self.queue.waiting.clear()
        self.reader.close()
        self.jobs.close()

    # --- fetching

    @Slot(object)
    def pull(self, repos: tuple[str, ...]) -> None:
        running = self._repos if self.jobs.running else ()
        if not self.queue.add(repos, running):
            self._window.status.say(lambda: self.tr("It is being fetched already."))
        self._next()

    def stop(self) -> None:
        self.jobs.stop()
        self._show_job()

    def resume(self) -> None:
        self._page.strip.hide()
        self.pull(self._repos)

    def _next(self) -> None:
        if self.jobs.running or self._closing:
            self._show_job()
            return
        repos = self.queue.next()
        if repos:
            self._repos = repos
            self._start(PULL, ", ".join(repos), words.pull_words(repos, self.where))

    def _start(self, kind: str, name: str, command: list[str]) -> None:
        self._name = name
        self.jobs.start(kind, command)
        self._show_job()

    @Slot()
    def _show_job(self) -> None:
        state = self.jobs.state
        if state.kind in (PULL, QUANTIZE) and (self.jobs.running or state.ended is not None):
            can_resume = state.kind == PULL and state.ended is not None and state.ended.status != "done"
            waiting = len(self.queue.waiting)
            self._page.strip.show_job(self._name, state, waiting, self.jobs.stopping, can_resume)

    @Slot(object)
    def _ended(self, ended: JobEnded) -> None:
        kind, name, status = self.jobs.state.kind, self._name, self._window.status
        removed, self._removing = self._removing, None
        if self._closing:
            return
        self._show_job()
        if ended.status == "done" and kind in (PULL, QUANTIZE):
            self._page.strip.hide()
            said = {
                PULL: lambda: self.tr("{name} is on this disk now."),
                QUANTIZE: lambda: self.tr("{name} is converted."),
            }
            status.say(lambda: said[kind]().format(name=name))
        elif kind == REMOVE and ended.status == "done":
            again = (lambda: self.pull((removed.hub,))) if removed and removed.hub else None
            label = (lambda: self.tr("Fetch Again")) if again else ""
            status.say(lambda: self.tr("{name} was removed.").format(name=name), label, again)
        elif kind == REMOVE:
            status.say(ended.message)
        self.refresh()
        self._next()

    # --- what is on disk

    @Slot(object)
    def quantize(self, item: OnDisk) -> None:
        if self._busy():
            self._window.status.say(self._busy)
            return
        out = free_folder(paths.data_dir() / "models" / f"{Path(item.name).name}-4bit")
        self._start(QUANTIZE, self.tr("{name} in 4 bits").format(name=item.name), words.quantize_words(item.use, out))

    def _busy(self) -> str:
        if self._window.runner.running:
            return self.tr("An answer is being written: stop it, or wait for its end.")
        return self.tr("Something is being fetched or converted: wait for its end.") if self.jobs.running else ""

    @Slot(object)
    def remove(self, item: OnDisk) -> None:
        """After a question. What was made here goes to the trash and can be brought back; a cache is emptied."""
        if any(item.use in (arm.target, choice_of(arm.drafter).drafter) for arm in self._window.arms.arms):
            name = item.name
            self._window.status.say(
                lambda: self.tr("{name} is in use in the chat: choose another model there first.").format(name=name)
            )
            return
        if self.jobs.running:
            self._window.status.say(self._busy)
            return
        if not self._confirmed(item):
            return
        if item.place == "own":
            self._trash(item)
            return
        self._removing = item
        self._start(REMOVE, item.name, words.remove_words(item.use, self.where))

    def _confirmed(self, item: OnDisk) -> bool:
        buttons = QMessageBox.StandardButton
        if item.place == "own":
            text = self.tr("Move {name} to the trash?")
        else:
            text = self.tr("Delete {name} from this disk? It can be fetched again.")
        box = QMessageBox(self._window)
        box.setWindowTitle(self.tr("Remove Model"))
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(text.format(name=item.name))
        box.setInformativeText(self.tr("This frees {size}.").format(size=wording.disk_size(item.size_bytes)))
        remove = box.addButton(self.tr("Remove"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(buttons.Cancel))
        box.exec()
        return box.clickedButton() is remove

    def _trash(self, item: OnDisk) -> None:
        moved = QFile.moveToTrash(item.path)
        ok, trashed = moved if isinstance(moved, tuple) else (bool(moved), "")
        name, status = item.name, self._window.status
        if not ok:
            status.say(lambda: self.tr("{name} can't be moved to the trash.").format(name=name))
        elif trashed:
            status.say(
                lambda: self.tr("{name} is in the trash.").format(name=name),
                lambda: self.tr("Undo"),
                lambda: self._bring_back(trashed, item.path),
            )
        else:
            status.say(lambda: self.tr("{name} is in the trash.").format(name=name))
        self.refresh()

    def _bring_back(self, trashed: str, path: str) -> None:
        try:
            Path(trashed).rename(path)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self._window.status.say(
                lambda: self.tr("It can't be brought back from {place} ({reason}).").format(
                    place=trashed, reason=reason
                )
            )
        self.refresh()

    @Slot()
    def choose_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self._window, self.tr("Add a Folder with Models"))
        if folder:
            self.add_folder(folder)

    def add_folder(self, folder: str) -> None:
        folders = [*self._store.strings(Key.MODEL_FOLDERS)]
        if folder not in folders:
            self._store.set(Key.MODEL_FOLDERS, msgspec.json.encode([*folders, folder]).decode())
        self.refresh()

    @Slot(str)
    def forget_folder(self, folder: str) -> None:
        folders = [other for other in self._store.strings(Key.MODEL_FOLDERS) if other != folder]
        self._store.set(Key.MODEL_FOLDERS, msgspec.json.encode(folders).decode())
        status = self._window.status
        status.say(
            lambda: self.tr("{folder} is off the list.").format(folder=folder),
            lambda: self.tr("Undo"),
            lambda: self.add_folder(folder),
        )
        self.refresh()

    # --- into the chat

    @Slot(str, str)
    def use(self, target: str, drafter: str) -> None:
        """A target goes to all panes; a drafter to the last pane that drafts, or to a new one."""
        window = self._window
        if window.runner.running:
            window.status.say(lambda: self.tr("An answer is being written: stop it first."))
            return
        if target:
            window.arms.set_target(target)
        if drafter:
            arms = window.arms.arms
            place = next((n for n in range(len(arms) - 1, -1, -1) if arms[n].drafter != "none"), None)
            if place is None:
                window.arms.add()
                arms, place = window.arms.arms, len(window.arms.arms) - 1
            window.arms.set((*arms[:place], drafting_with(arms[place], drafter), *arms[place + 1 :]))
        window.show_page("chat")
        name = target_title(target or drafter)
        window.status.say(lambda: self.tr("{name} is set in the chat.").format(name=name))


def free_folder(path: Path) -> Path:
    """This folder, numbered where it is there already."""
    made, number = path, 1
    while made.exists():
        number += 1
        made = path.with_name(f"{path.name}-{number}")
    return made
