"""The window: puts pages, menus and the live conversation together, and remembers how a person left it.

It decides nothing about decoding, metrics or traces; each of these has its own room, and this one connects them.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QUrl, Slot
from PySide6.QtGui import QCloseEvent, QDesktopServices, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow, QMenu, QMessageBox, QStackedWidget, QVBoxLayout, QWidget

from app.actions import Actions
from app.appearance import Appearance
from app.awake import Awake
from app.chat.page import ChatPage
from app.engine_link import EngineLink
from app.header import Header
from app.help import AboutDialog, HelpDialog
from app.i18n import Language
from app.runner import Runner
from app.session import Exchange
from app.settings.arm_dialog import ArmDialog
from app.settings.arms import MOST_ARMS, added, duplicate, removed, with_arm, with_target
from app.settings.keys import Key
from app.settings.preferences import ORDERS, Preferences
from app.settings.store import Store
from app.status import Status
from app.theme import Theme
from app.traces.desk import KINDS, TraceDesk
from app.traces.page import TracesPage
from app.traces.recorder import Recorder
from app.traces.restore import Restorer
from engine.trace.events import Arm
from engine.trace.file import SUFFIX

SIZE = (1280, 800)
LEAST_SIZE = (960, 600)


class Window(QMainWindow):
    def __init__(self, store: Store, link: EngineLink, appearance: Appearance, language: Language, traces: Path) -> None:
        super().__init__()
        self.store, self.link, self.appearance, self.language = store, link, appearance, language
        self.ask_before_quit = True
        self.arms = store.arms()
        self._cleared: list[Exchange] = []
        self._replacing = False
        self._awake = Awake(self)
        self.recorder = Recorder(traces, store.flag(Key.TRACE_TEXT, True), self)
        self.runner = Runner(link, self.recorder, self)
        self.actions_ = Actions(self)
        self.actions_.fill(self.menuBar())
        theme = appearance.theme
        self.header = Header(self.actions_.menus["export"], theme)
        self.chat = ChatPage(theme)
        self.traces = TracesPage(traces)
        self.status = Status(theme)
        self.desk = TraceDesk(self.chat, self.runner, store, self)
        self.restorer = Restorer(store, self.runner)
        self._build()
        self._connect()
        self._restore()
        appearance.changed.connect(self._themed)
        appearance.apply()

    def _build(self) -> None:
        self.setWindowTitle("Slipstream")
        self.setMinimumSize(*LEAST_SIZE)
        self.setAcceptDrops(True)
        self.setUnifiedTitleAndToolBarOnMac(True)
        bar = self.addToolBar("")
        bar.setObjectName("header")
        bar.setMovable(False)
        bar.setFloatable(False)
        bar.toggleViewAction().setMenuRole(self.actions_["new"].MenuRole.NoRole)
        bar.addWidget(self.header).setMenuRole(self.actions_["new"].MenuRole.NoRole)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.chat)
        self.pages.addWidget(self.traces)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.pages, 1)
        column.addWidget(self.status)
        self.setCentralWidget(body)

    def _connect(self) -> None:
        chat, runner, header = self.chat, self.runner, self.header
        chat.composer.sent.connect(self.ask)
        chat.composer.stopped.connect(runner.stop)
        chat.composer.recalled.connect(self._recall)
        chat.composer.file_dropped.connect(self._dropped)
        chat.composer.system_changed.connect(lambda text: self.store.set(Key.SYSTEM_PROMPT, text))
        chat.composer.editor.textChanged.connect(self._fit_actions)
        chat.settings_wanted.connect(self.edit_arm)
        chat.pane_menu_wanted.connect(self._pane_menu)
        chat.retry_wanted.connect(self.retry)
        header.page_chosen.connect(self.show_page)
        header.target_chosen.connect(self.set_target)
        header.folder_wanted.connect(self._choose_target)
        header.run_wanted.connect(self.run)
        header.stop_wanted.connect(runner.stop)
        self.traces.open_wanted.connect(lambda path: self.open_trace(Path(path)))
        self.traces.choose_wanted.connect(self.desk.choose)
        runner.began.connect(chat.begin)
        runner.events.connect(chat.apply)
        runner.running_changed.connect(self._running)
        runner.loading.connect(chat.show_loading)
        runner.opened.connect(lambda _: self.chat.clear_progress())
        runner.refused.connect(chat.show_refusal)
        runner.crashed.connect(self._crashed)
        runner.hung.connect(self._hung)
        runner.busy.connect(lambda busy_s: self.status.say(self.tr("The engine is at work on one forward for {n} s now.").format(n=round(busy_s))))
        self.recorder.failed.connect(lambda sentence: self.status.say(sentence, stays=True))
        self.recorder.opened.connect(self.restorer.note)
        self.desk.said.connect(self.status.say)
        self.desk.shown_changed.connect(self._trace_shown)
        self.desk.continued.connect(self.set_arms)
        self._connect_actions()

    def _connect_actions(self) -> None:
        calls = {
            "new": self.new,
            "open": self.desk.choose,
            "close": self.close,
            "quit": self.close,
            "preferences": self.show_preferences,
            "copy_answer": self.copy_answer,
            "edit_last": self.edit_last,
            "clear": self.clear,
            "undo_clear": self.undo_clear,
            "run": self.run,
            "stop": self.runner.stop,
            "regenerate": self.regenerate,
            "add_arm": lambda: self.set_arms(added(self.arms)),
            "restart_engine": self.restart_engine,
            "bigger": lambda: self._resize_text(1),
            "smaller": lambda: self._resize_text(-1),
            "usual_size": lambda: self._resize_text(0),
            "full_screen": lambda: self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen),
            "minimise": self.showMinimized,
            "zoom": lambda: self.setWindowState(self.windowState() ^ Qt.WindowState.WindowMaximized),
            "chat_page": lambda: self.show_page(0),
            "traces_page": lambda: self.show_page(1),
            "keyboard": lambda: HelpDialog.keyboard(self.actions_, self).open(),
            "definitions": lambda: HelpDialog.definitions(self).open(),
            "open_log": lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.link.log_path.parent))),
            "about": lambda: AboutDialog(self).open(),
        }
        for name, call in calls.items():
            self.actions_[name].triggered.connect(lambda _=False, call=call: call())
        for name in KINDS:
            self.actions_[name].triggered.connect(lambda _=False, name=name: self.desk.export(name, self.actions_["without_text"].isChecked()))
        for number in range(1, MOST_ARMS + 1):
            self.actions_[f"focus_{number}"].triggered.connect(lambda _=False, number=number: self._focus_pane(number))
        for name, method in (("undo", "undo"), ("redo", "redo"), ("cut", "cut"), ("copy", "copy"), ("paste", "paste"), ("select_all", "selectAll")):
            self.actions_[name].triggered.connect(lambda _=False, method=method: self._edit(method))
        for choice in ("system", "light", "dark"):
            self.actions_[f"appearance_{choice}"].triggered.connect(lambda _=False, choice=choice: self._set(Key.APPEARANCE, choice))
        for choice in ("system", "en", "zh_CN"):
            self.actions_[f"language_{choice}"].triggered.connect(lambda _=False, choice=choice: self._set(Key.LANGUAGE, choice))
        for choice in ORDERS:
            self.actions_[f"order_{choice}"].triggered.connect(lambda _=False, choice=choice: self._set(Key.ORDER, choice))
        for name, key in self._switches().items():
            self.actions_[name].toggled.connect(lambda on, key=key: self._set(key, on))
        self.actions_.menus["open_recent"].aboutToShow.connect(self._fill_recent)

    @staticmethod
    def _switches() -> dict[str, Key]:
        return {
            "legend": Key.SHOW_LEGEND,
            "show_rounds": Key.SHOW_ROUNDS,
            "show_memory": Key.SHOW_MEMORY,
            "system_prompt": Key.SHOW_SYSTEM_PROMPT,
            "without_text": Key.EXPORT_WITHOUT_TEXT,
            "same_sampling": Key.SAME_SAMPLING,
        }

    # --- life

    def begin(self, trace: Path | None = None) -> None:
        """What waits until the window is painted: the engine, and the text of a session that was interrupted."""
        if self.restorer.restore():
            self.chat.show_session(self.runner.session)
            self.status.say(self.tr("The session that was interrupted is back."), self.tr("New Comparison"), self.new)
        if trace is not None:
            self.open_trace(trace)
        self.runner.open(self.arms)
        self.chat.composer.editor.setFocus()
        self._fit_actions()

    def shut_down(self) -> None:
        """Ends what runs beside the window, in order: the readers, the replay, the engine, the files."""
        self._remember()
        self.traces.close_readers()
        self.desk.stop()
        self._awake.set(False)
        self.runner.stop()
        self.link.close()
        self.recorder.close()
        self.restorer.forget()
        self.store.sync()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.runner.running and self.ask_before_quit and not self._may_quit():
            event.ignore()
            return
        self.shut_down()
        super().closeEvent(event)

    def _may_quit(self) -> bool:
        buttons = QMessageBox.StandardButton
        answer = QMessageBox.question(
            self,
            "Slipstream",
            self.tr("An answer is still being written. Quit all the same? Its text so far is kept."),
            buttons.Yes | buttons.Cancel,
            buttons.Cancel,
        )
        return answer == buttons.Yes

    def _restore(self) -> None:
        store = self.store
        self.resize(*SIZE)
        geometry = store.blob(Key.GEOMETRY)
        if geometry is not None:
            self.restoreGeometry(geometry)
            if not is_reachable(self.frameGeometry()):
                self.resize(*SIZE)
                self.move(40, 40)
        for name, key in self._switches().items():
            self.actions_[name].setChecked(store.flag(key, key in (Key.SHOW_LEGEND, Key.SHOW_ROUNDS, Key.SHOW_MEMORY, Key.SAME_SAMPLING)))
        self._check_choices()
        self.chat.composer.system.setPlainText(store.text(Key.SYSTEM_PROMPT))
        self.set_arms(self.arms)
        self.chat.show_session(self.runner.session)
        self.chat.restore_layout(store.blob(Key.PAGE_SPLITTER), store.blob(Key.SIDE_SPLITTER), store.blob(Key.PANES_SPLITTER))
        for key in (Key.SHOW_LEGEND, Key.SHOW_ROUNDS, Key.SHOW_SYSTEM_PROMPT):
            self._apply_setting(key)

    def _remember(self) -> None:
        self.store.set(Key.GEOMETRY, self.saveGeometry())
        for key, state in zip((Key.PAGE_SPLITTER, Key.SIDE_SPLITTER, Key.PANES_SPLITTER), self.chat.layout_state(), strict=True):
            self.store.set(key, state)

    # --- conversation

    @Slot(str)
    def ask(self, prompt: str) -> None:
        if self.desk.trace is not None:
            self.desk.go_on()
            if self.desk.trace is not None:
                self.chat.composer.set_prompt(prompt)
                return
        if self._replacing:
            self._replacing = False
            self.runner.take_back_last()
            self.chat.show_session(self.runner.session)
        self.status.clear()
        self.runner.ask(prompt, self.chat.composer.system.toPlainText().strip(), self.arms, self.store.text(Key.ORDER, ORDERS[0]))

    def run(self) -> None:
        """Sends what is written, or the last prompt again where nothing is."""
        if self.chat.composer.editor.toPlainText().strip():
            self.chat.composer.send()
        else:
            self.regenerate()

    def regenerate(self) -> None:
        if self.desk.trace is not None:
            self.desk.go_on()
        last = self.runner.take_back_last()
        if last is not None:
            self.chat.show_session(self.runner.session)
            self.ask(last.prompt)

    def retry(self) -> None:
        """Asks the last prompt again below what is there; an unfinished answer keeps its place."""
        last = self.runner.session.last
        if last is not None and not self.runner.running:
            if not any(run.rounds for run in last.runs.values()):
                self.regenerate()
            else:
                self.ask(last.prompt)

    def new(self) -> None:
        if self.runner.running:
            self.status.say(self.tr("An answer is being written: stop it first."))
            return
        self.desk.close()
        self._cleared = []
        self.runner.begin_session()
        self.restorer.forget()
        self.chat.show_session(self.runner.session)
        self.show_page(0)
        self.chat.composer.editor.setFocus()
        self._fit_actions()

    def clear(self) -> None:
        if self.runner.running or self.desk.trace is not None or not self.runner.session.exchanges:
            return
        self._cleared = self.runner.clear()
        self.chat.show_session(self.runner.session)
        self.status.say(self.tr("The conversation was cleared."), self.tr("Undo"), self.undo_clear)
        self._fit_actions()

    def undo_clear(self) -> None:
        if self._cleared and not self.runner.running:
            self.runner.put_back(self._cleared)
            self._cleared = []
            self.chat.show_session(self.runner.session)
            self._fit_actions()

    def edit_last(self) -> None:
        last = self.runner.session.last
        if last is not None and not self.runner.running:
            self._replacing = True
            self.chat.composer.set_prompt(last.prompt)
            self.status.say(self.tr("The changed prompt will replace the last one."), self.tr("Keep Both"), self._keep_both)

    def _keep_both(self) -> None:
        self._replacing = False

    def _recall(self) -> None:
        last = self.runner.session.last
        if last is not None:
            self.chat.composer.set_prompt(last.prompt)

    def copy_answer(self, name: str = "") -> None:
        last = self.chat.session.last
        run = last.runs.get(name or self.chat.chosen) if last else None
        if run is not None:
            QGuiApplication.clipboard().setText(run.text)

    # --- arms

    @Slot(object)
    def set_arms(self, arms: tuple[Arm, ...]) -> None:
        if not arms or self.runner.running:
            return
        changed = arms != self.arms
        self.arms = arms
        self.store.set_arms(arms)
        self.chat.set_arms(arms)
        self.header.set_target(arms[0].target, self.store.strings(Key.RECENT_TARGETS))
        if changed and self.link.hello is not None:
            self.runner.open(arms)
        self._fit_actions()

    def edit_arm(self, name: str) -> None:
        index = self._index(name)
        if index is None:
            return
        dialog = ArmDialog(self.arms[index], self.store.flag(Key.SAME_SAMPLING, True), len(self.arms) == 1, self)
        dialog.accepted.connect(lambda: self._arm_edited(index, dialog))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _arm_edited(self, index: int, dialog: ArmDialog) -> None:
        if self.runner.running:
            self.status.say(self.tr("An answer is being written: stop it, then change the settings."))
            return
        self.actions_["same_sampling"].setChecked(dialog.same_sampling)
        self.set_arms(with_arm(self.arms, index, dialog.arm, dialog.same_sampling))

    def set_target(self, target: str) -> None:
        if self.runner.running:
            self.status.say(self.tr("An answer is being written: stop it, then change the model."))
            return
        if target != "embedded":
            self.store.push_recent(Key.RECENT_TARGETS, target)
        self.set_arms(with_target(self.arms, target))

    def _choose_target(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Open Model Folder"))
        if folder:
            self.set_target(folder)

    def _index(self, name: str) -> int | None:
        return next((number for number, arm in enumerate(self.arms) if arm.name == name), None)

    @Slot(str, QPoint)
    def _pane_menu(self, name: str, point: QPoint) -> None:
        menu = self.pane_menu(name)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(point)

    def pane_menu(self, name: str) -> QMenu:
        menu = QMenu(self)
        index = self._index(name)
        live = index is not None and self.desk.trace is None and not self.runner.running
        place = index or 0
        for text, call, possible in (
            (self.tr("Settings…"), lambda: self.edit_arm(name), live),
            (self.tr("Copy Answer"), lambda: self.copy_answer(name), True),
            (self.tr("Duplicate Pane"), lambda: self.set_arms(duplicate(self.arms, place)), live and len(self.arms) < MOST_ARMS),
            (self.tr("Add Pane"), lambda: self.set_arms(added(self.arms)), live and len(self.arms) < MOST_ARMS),
            (self.tr("Remove Pane"), lambda: self.set_arms(removed(self.arms, place)), live and len(self.arms) > 1),
        ):
            action = menu.addAction(text)
            action.setMenuRole(action.MenuRole.NoRole)
            action.setEnabled(possible)
            action.triggered.connect(lambda _=False, call=call: call())
        return menu

    # --- what happens to the engine

    @Slot(bool)
    def _running(self, on: bool) -> None:
        self.chat.set_running(on)
        self.header.set_running(on)
        self._awake.set(on)
        if on and self.link.hello is None:
            self.chat.show_waiting(self.tr("Starting the engine…"))
        self._fit_actions()

    @Slot(str)
    def _crashed(self, sentence: str) -> None:
        actions = [(self.tr("Open Log"), self.actions_["open_log"].trigger)]
        if self.runner.session.exchanges:
            actions.insert(0, (self.tr("Retry"), self.retry))
        else:
            actions.insert(0, (self.tr("Start Again"), self.restart_engine))
        self.chat.show_problem(sentence, *actions)

    @Slot(str)
    def _hung(self, sentence: str) -> None:
        self.status.say(sentence, self.tr("Restart Engine"), self.restart_engine, stays=True)

    def restart_engine(self) -> None:
        self.chat.clear_notices()
        self.runner.restart_engine()
        self.runner.open(self.arms)

    # --- view

    def show_page(self, number: int) -> None:
        self.pages.setCurrentIndex(number)
        self.header.set_page(number)
        if number == 1:
            self.traces.refresh()

    def open_trace(self, path: Path) -> None:
        if self.desk.open(path):
            self.show_page(0)

    @Slot()
    def _trace_shown(self) -> None:
        path = self.desk.path
        self.setWindowFilePath(str(path) if path else "")
        self.setWindowTitle(path.stem if path else "Slipstream")
        self._fit_actions()

    def show_preferences(self) -> None:
        dialog = Preferences(self.store, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(self._preference_changed)
        dialog.open()

    @Slot(object)
    def _preference_changed(self, key: Key) -> None:
        self._apply_setting(key)
        self._check_choices()

    def _set(self, key: Key, value: str | bool) -> None:
        self.store.set(key, value)
        self._apply_setting(key)
        self._check_choices()

    def _apply_setting(self, key: Key) -> None:
        """A stored setting takes effect."""
        if key is Key.APPEARANCE:
            self.appearance.choose(self.store.text(key, "system"))
        elif key is Key.LANGUAGE:
            self.language.set(self.store.text(key, "system"))
        elif key is Key.TEXT_SIZE:
            self.appearance.set_size(self.store.number(key, self.appearance.size_px))
        elif key is Key.SHOW_LEGEND:
            self.chat.show_legend(self.actions_["legend"].isChecked())
        elif key in (Key.SHOW_ROUNDS, Key.SHOW_MEMORY):
            self.chat.show_side(self.actions_["show_rounds"].isChecked(), self.actions_["show_memory"].isChecked())
        elif key is Key.SHOW_SYSTEM_PROMPT:
            self.chat.composer.show_system(self.actions_["system_prompt"].isChecked())
        elif key is Key.TRACE_TEXT:
            self.recorder.keep_text = self.store.flag(key, True)

    def _check_choices(self) -> None:
        for prefix, key, default in (("appearance", Key.APPEARANCE, "system"), ("language", Key.LANGUAGE, "system"), ("order", Key.ORDER, ORDERS[0])):
            self.actions_[f"{prefix}_{self.store.text(key, default)}"].setChecked(True)

    def _resize_text(self, step: int) -> None:
        self.appearance.resize(step)
        self.store.set(Key.TEXT_SIZE, self.appearance.size_px)

    @Slot(object, int)
    def _themed(self, theme: Theme, size_px: int) -> None:
        self.header.set_theme(theme)
        self.status.set_theme(theme)
        self.chat.set_theme(theme, size_px)

    @Slot()
    def _fit_actions(self) -> None:
        """What can't be done now is grey."""
        running, session = self.runner.running, self.runner.session
        idle = not running and bool(session.exchanges)
        written = bool(self.chat.composer.editor.toPlainText().strip())
        for name, possible in (
            ("run", not running and (written or idle)),
            ("stop", running),
            ("regenerate", idle),
            ("edit_last", idle),
            ("clear", idle and self.desk.trace is None),
            ("undo_clear", bool(self._cleared) and not running),
            ("new", not running),
            ("add_arm", not running and len(self.arms) < MOST_ARMS and self.desk.trace is None),
            ("copy_answer", bool(self.chat.session.exchanges)),
        ):
            self.actions_[name].setEnabled(possible)
        self.header.set_can_run(self.actions_["run"].isEnabled())
        for number in range(1, MOST_ARMS + 1):
            self.actions_[f"focus_{number}"].setVisible(number <= len(self.arms))

    def _focus_pane(self, number: int) -> None:
        panes = list(self.chat.panes)
        if number <= len(panes):
            self.show_page(0)
            panes[number - 1].transcript.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _edit(self, method: str) -> None:
        call = getattr(QApplication.focusWidget(), method, None)
        if call is not None:
            call()

    def _fill_recent(self) -> None:
        menu = self.actions_.menus["open_recent"]
        menu.clear()
        for path in self.store.strings(Key.RECENT_TRACES):
            action = menu.addAction(Path(path).stem)
            action.setMenuRole(action.MenuRole.NoRole)
            action.setToolTip(path)
            action.triggered.connect(lambda _=False, path=path: self.open_trace(Path(path)))
        menu.setEnabled(True)

    # --- events

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() or event.mimeData().hasText():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        for url in event.mimeData().urls():
            if url.isLocalFile():
                self._dropped(url.toLocalFile())
                event.acceptProposedAction()
                return
        if event.mimeData().hasText():
            self.chat.composer.set_prompt(event.mimeData().text())
            event.acceptProposedAction()

    @Slot(str)
    def _dropped(self, name: str) -> None:
        """A trace is opened, a folder becomes the model, a text file becomes the prompt."""
        path = Path(name)
        if path.suffix == SUFFIX:
            self.open_trace(path)
        elif path.is_dir():
            self.set_target(str(path))
        else:
            try:
                self.chat.composer.set_prompt(path.read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError):
                self.status.say(self.tr("{name} is neither a trace, a model folder nor a text: drop one of these.").format(name=path.name))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._fit_actions()
        super().changeEvent(event)


def is_reachable(frame: QRect) -> bool:
    """Enough of a window lies on a screen to take hold of it."""
    for screen in QGuiApplication.screens():
        seen = screen.availableGeometry().intersected(frame)
        if seen.width() >= 120 and seen.height() >= 80:
            return True
    return False

