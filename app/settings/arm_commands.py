"""What a person does with the arms: choose a model, change settings, add, duplicate and remove panes. All of it is
remembered.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.runner import Runner
from app.settings.arm_dialog import ArmDialog
from app.settings.arms import MOST_ARMS, added, duplicate, removed, with_arm, with_target
from app.settings.drafter_folders import drafter_folders
from app.settings.keys import Key
from app.settings.store import Store
from app.status import Status
from engine.trace.events import Arm


class ArmCommands(QObject):
    changed = Signal(object)
    """The arms as they are now; stored already."""

    def __init__(self, store: Store, runner: Runner, status: Status, window: QWidget) -> None:
        super().__init__(window)
        self._store, self._runner, self._status, self._window = store, runner, status, window
        self.arms = store.arms()

    @property
    def can_add(self) -> bool:
        return len(self.arms) < MOST_ARMS and not self._runner.running

    @Slot(object)
    def set(self, arms: tuple[Arm, ...]) -> None:
        if arms and not self._runner.running:
            self.arms = arms
            self._store.set_arms(arms)
            self.changed.emit(arms)

    def add(self) -> None:
        self.set(added(self.arms))

    def duplicate(self, name: str) -> None:
        index = self.index(name)
        if index is not None:
            self.set(duplicate(self.arms, index))

    def remove(self, name: str) -> None:
        index = self.index(name)
        if index is not None:
            self.set(removed(self.arms, index))

    @Slot(str)
    def edit(self, name: str) -> None:
        index = self.index(name)
        if index is None:
            return
        same = self._store.flag(Key.SAME_SAMPLING, True)
        dialog = ArmDialog(
            self.arms[index], same, len(self.arms) == 1, self._window, drafter_folders=drafter_folders(self._store)
        )
        dialog.accepted.connect(lambda: self._edited(index, dialog))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _edited(self, index: int, dialog: ArmDialog) -> None:
        if self._runner.running:
            self._status.say(lambda: self.tr("An answer is being written: stop it, then change the settings."))
            return
        self._store.set(Key.SAME_SAMPLING, dialog.same_sampling)
        self.set(with_arm(self.arms, index, dialog.arm, dialog.same_sampling))

    @Slot(str)
    def set_target(self, target: str) -> None:
        if self._runner.running:
            self._status.say(lambda: self.tr("An answer is being written: stop it, then change the model."))
            return
        if target != "embedded":
            self._store.push_recent(Key.RECENT_TARGETS, target)
        self.set(with_target(self.arms, target))

    @Slot()
    def choose_target(self) -> None:
        folder = QFileDialog.getExistingDirectory(self._window, self.tr("Open Model Folder"))
        if folder:
            self.set_target(folder)

    def index(self, name: str) -> int | None:
        return next((number for number, arm in enumerate(self.arms) if arm.name == name), None)
