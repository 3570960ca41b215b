"""The window: puts pages, menus and the live conversation together, and remembers how a person left it.

It decides nothing about decoding, metrics or traces; each of these has its own room, and this one connects them.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QFile, QPoint, Qt, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QMainWindow,
    QMenu,
    QMessageBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app import remembered
from app.actions import Actions
from app.appearance import Appearance
from app.awake import Awake
from app.chat.notice import Action
from app.chat.page import ChatPage
from app.commands import Commands
from app.conversation import Conversation
from app.drops import Drops
from app.engine_link import EngineLink, State
from app.header import Header
from app.i18n import Language
from app.memory_desk import MemoryDesk
from app.models.desk import ModelsDesk
from app.page import Page
from app.pages import PAGES, titles
from app.runner import Runner
from app.settings.applied import AppliedSettings
from app.settings.arm_commands import ArmCommands
from app.settings.keys import Key
from app.settings.preferences import Preferences
from app.settings.store import Store
from app.status import Status
from app.theme import Theme
from app.traces.desk import TraceDesk
from app.traces.page import TracesPage
from app.traces.recorder import Recorder
from app.traces.restore import Restorer
from app.work import Work
from engine.trace.events import Arm

LEAST_SIZE = (960, 600)


class Window(QMainWindow):
    def __init__(
        self, store: Store, link: EngineLink, appearance: Appearance, language: Language, traces: Path
    ) -> None:
        super().__init__()
        self.models: ModelsDesk
        self.store, self.link, self.appearance, self.language = store, link, appearance, language
        self.ask_before_quit = True
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
        self.arms = ArmCommands(store, self.runner, self.status, self)
        self.conversation = Conversation(
            self.runner, self.chat, self.arms, self.desk, self.status, self.restorer, store, self
        )
        self.settings = AppliedSettings(
            store, self.actions_, appearance, language, self.chat, self.recorder, self.runner, self
        )
        self.work = Work(self)
        self.drops = Drops(self)
        self._build()
        self.commands = Commands(self)
        self._connect()
        # After the page: what happened is marked at the newest sample it shows.
        self.memory = MemoryDesk(self.runner, self.chat, self.conversation, self.arms, self.status, self)
        self._arms_changed(self.arms.arms)
        self.chat.show_session(self.runner.session)
        remembered.restore(self)
        self.settings.restore()
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
        self.page_of = {spec.key: spec.make(self) for spec in PAGES}
        for page in self.page_of.values():
            self.pages.addWidget(page)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.pages, 1)
        column.addWidget(self.status)
        self.setCentralWidget(body)

    def _connect(self) -> None:
        chat, runner, header, talk = self.chat, self.runner, self.header, self.conversation
        chat.composer.sent.connect(talk.ask)
        chat.composer.stopped.connect(runner.stop)
        chat.composer.said.connect(lambda said: self.status.say(said, about="engine"))
        runner.stopping.connect(chat.composer.set_stopping)
        chat.composer.recalled.connect(talk.recall)
        chat.composer.file_dropped.connect(self.drops.take_file)
        chat.composer.system_changed.connect(lambda text: self.store.set(Key.SYSTEM_PROMPT, text))
        chat.composer.editor.textChanged.connect(self.commands.fit)
        chat.settings_wanted.connect(self._edit_arm)
        chat.pane_menu_wanted.connect(self._pane_menu)
        chat.retry_wanted.connect(talk.retry)
        chat.again_wanted.connect(talk.regenerate)
        chat.welcome.closed.connect(self.welcomed)
        chat.welcome.prompt_wanted.connect(talk.ask)
        header.page_chosen.connect(self.show_page)
        header.target_chosen.connect(self.arms.set_target)
        header.folder_wanted.connect(self.arms.choose_target)
        header.run_wanted.connect(talk.run)
        header.stop_wanted.connect(runner.stop)
        self.traces.open_wanted.connect(lambda path: self.open_trace(Path(path)))
        self.traces.choose_wanted.connect(self.desk.choose)
        self.traces.trash_wanted.connect(self._trash)
        runner.began.connect(chat.begin)
        runner.began.connect(lambda _: self.show_page("chat"))
        runner.events.connect(chat.apply)
        runner.running_changed.connect(self._running)
        runner.loading.connect(chat.news.show_loading)
        runner.opened.connect(chat.news.show_opened)
        runner.checked.connect(chat.news.show_check)
        runner.refused.connect(chat.news.show_refusal)
        runner.open_refused.connect(chat.news.show_open_refusal)
        runner.crashed.connect(self._crashed)
        runner.hung.connect(self._hung)
        runner.busy.connect(
            lambda busy_s: self.status.say(
                lambda: self.tr("The engine is at work on one forward for {n} s now.").format(n=round(busy_s)),
                about="engine",
            )
        )
        self.recorder.failed.connect(lambda sentence: self.status.say(sentence, stays=True))
        self.recorder.opened.connect(self.restorer.note)
        self.desk.said.connect(self.status.say)
        self.desk.shown_changed.connect(self._trace_shown)
        self.desk.continued.connect(self.arms.set)
        self.arms.changed.connect(self._arms_changed)
        talk.changed.connect(self.commands.fit)
        self.link.state_changed.connect(self.commands.fit)
        runner.has_models_changed.connect(self.commands.fit)

    # --- life

    def begin(self, trace: Path | None = None) -> None:
        """What waits until the window is painted: the engine, and the text of a session that was interrupted."""
        if self.restorer.restore():
            self.chat.show_session(self.runner.session)
            self.status.say(
                lambda: self.tr("The session that was interrupted is back."),
                lambda: self.tr("New Comparison"),
                self.new,
            )
        if trace is not None:
            self.open_trace(trace)
        else:
            key = self.store.text(Key.PAGE, "chat")
            self.show_page(key if key in self.page_of else "chat")
        self.chat.welcome.setVisible(not self.store.flag(Key.WELCOMED, False) and trace is None)
        self.runner.open(self.arms.arms)
        self.chat.composer.editor.setFocus()
        self.commands.fit()

    def shut_down(self) -> None:
        """Ends what runs beside the window, in order: the readers, the replay, the engine, the files."""
        remembered.remember(self)
        self.hide()
        self.traces.close_readers()
        self.desk.stop()
        self.work.close()
        self.models.close()
        self._awake.set(False)
        self.runner.stop()
        self.link.close()
        self.recorder.close()
        self.restorer.forget()
        self.store.sync()

    def closeEvent(self, event: QCloseEvent) -> None:
        if (self.runner.running or self.work.jobs.running) and self.ask_before_quit and not self._may_quit():
            event.ignore()
            return
        self.shut_down()
        super().closeEvent(event)

    def _may_quit(self) -> bool:
        buttons = QMessageBox.StandardButton
        answer = QMessageBox.question(
            self,
            "Slipstream",
            self.tr("{page} is still at work. Quit all the same? It is stopped, and what is done is kept.").format(
                page=titles()[self.work.jobs.state.kind]
            )
            if self.work.jobs.running
            else self.tr("An answer is still being written. Quit all the same? Its text so far is kept."),
            buttons.Yes | buttons.Cancel,
            buttons.Cancel,
        )
        return answer == buttons.Yes

    # --- arms

    @Slot(object)
    def _arms_changed(self, arms: tuple[Arm, ...]) -> None:
        if self.desk.trace is None:
            self.chat.set_arms(arms)
        else:
            self.desk.live_arms = arms
        self.header.set_target(arms[0].target, self.store.strings(Key.RECENT_TARGETS))
        self.settings.show()
        if self.link.state is not State.STOPPED and not self.runner.unloaded:
            self.runner.open(arms)
        self.commands.fit()

    @Slot(str)
    def _edit_arm(self, name: str) -> None:
        if self.desk.trace is not None:
            self.status.say(lambda: self.tr("A trace is read only: ask again from it, then change the settings."))
        else:
            self.arms.edit(name)

    @Slot(str, QPoint)
    def _pane_menu(self, name: str, point: QPoint) -> None:
        menu = self.pane_menu(name)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(point)

    def pane_menu(self, name: str) -> QMenu:
        menu = QMenu(self)
        live = self.arms.index(name) is not None and self.desk.trace is None and not self.runner.running
        for text, call, possible in (
            (self.tr("Settings…"), lambda: self.arms.edit(name), live),
            (self.tr("Copy Answer"), lambda: self.conversation.copy_answer(name), True),
            (self.tr("Duplicate Pane"), lambda: self.arms.duplicate(name), live and self.arms.can_add),
            (self.tr("Add Pane"), self.arms.add, live and self.arms.can_add),
            (self.tr("Remove Pane"), lambda: self.arms.remove(name), live and len(self.arms.arms) > 1),
        ):
            action = menu.addAction(text)
            action.setMenuRole(action.MenuRole.NoRole)
            action.setEnabled(possible)
            action.triggered.connect(lambda _=False, call=call: call())
        return menu

    def new(self) -> None:
        self.conversation.new()
        self.show_page("chat")

    # --- what happens to the engine

    @Slot(bool)
    def _running(self, on: bool) -> None:
        self.chat.set_running(on)
        self.header.set_running(on)
        self.keep_awake()
        if not on:
            self.welcomed()
            # A run that ended while its models were loading leaves no progress behind; errors stay.
            for pane in self.chat.panes:
                pane.notice.finish()
        self.work.blocked_changed.emit()
        if not on:
            self.status.withdraw("engine")
        if not on and not self.isActiveWindow():
            QApplication.alert(self)
        if on and self.link.hello is None:
            self.chat.news.show_waiting(lambda: self.tr("Starting the engine…"))
        self.commands.fit()

    @Slot(str)
    def _crashed(self, sentence: str) -> None:
        actions: list[Action] = [(lambda: self.tr("Open Log"), self.actions_["open_log"].trigger)]
        if self.runner.session.exchanges:
            actions.insert(0, (lambda: self.tr("Retry"), self.conversation.retry))
        else:
            actions.insert(0, (lambda: self.tr("Start Again"), self.restart_engine))
        self.chat.news.show_problem(sentence, *actions)

    @Slot(str)
    def _hung(self, sentence: str) -> None:
        self.status.say(sentence, lambda: self.tr("Restart Engine"), self.restart_engine, stays=True, about="engine")

    def welcomed(self) -> None:
        """A person has seen what the first launch shows."""
        self.store.set(Key.WELCOMED, True)
        self.chat.welcome.hide()

    def keep_awake(self) -> None:
        self._awake.set(self.runner.running or self.work.jobs.running or self.models.jobs.running)

    def restart_engine(self) -> None:
        self.chat.news.clear()
        self.status.withdraw("engine")
        self.runner.restart_engine()
        self.runner.open(self.arms.arms)

    # --- view

    @Slot(str)
    def show_page(self, key: str) -> None:
        page = self.page_of[key]
        self.pages.setCurrentWidget(page)
        self.header.set_page(key)
        if isinstance(page, Page):
            page.shown()

    def open_trace(self, path: Path) -> None:
        if self.desk.open(path):
            self.show_page("chat")

    @Slot(str)
    def _trash(self, name: str) -> None:
        path = Path(name)
        if path == self.recorder.path:
            self.status.say(lambda: self.tr("This session is still being written: begin a new comparison first."))
        elif not QFile.moveToTrash(name):
            self.status.say(lambda: self.tr("{name} can't be moved to the trash.").format(name=path.name))
        self.traces.refresh()

    @Slot()
    def _trace_shown(self) -> None:
        path = self.desk.path
        self.setWindowFilePath(str(path) if path else "")
        self.show_title(self.work.line())
        self.commands.fit()

    def show_title(self, work: str) -> None:
        """The trace that is shown, or the program; behind it the work that goes on."""
        name = self.desk.path.stem if self.desk.path else "Slipstream"
        self.setWindowTitle(f"{name} – {work}" if work else name)

    def show_preferences(self) -> None:
        dialog = Preferences(self.store, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(self.settings.changed)
        dialog.changed.connect(self.models.preference_changed)
        dialog.open()

    @Slot(object, int)
    def _themed(self, theme: Theme, size_px: int) -> None:
        self.header.set_theme(theme)
        self.status.set_theme(theme)
        self.chat.set_theme(theme, size_px)
        for page in self.page_of.values():
            if isinstance(page, Page):
                page.set_theme(theme, size_px)

    # --- events

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.drops.takes(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if self.drops.take(event.mimeData()):
            event.acceptProposedAction()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.commands.fit()
        super().changeEvent(event)
