"""Every command of the program: its place in the menus, its key and its role.

Each action has an explicit menu role, because the system would otherwise move "Settings…" and the like by the first
word of their English text. Keys are the platform's standard keys wherever there is one.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from app.pages import KEYS, titles
from app.settings.preferences import APPEARANCES

Role = QAction.MenuRole
Key = QKeySequence.StandardKey

STANDARD_KEYS = {
    "new": Key.New,
    "open": Key.Open,
    "close": Key.Close,
    "export_trace": Key.SaveAs,
    "preferences": Key.Preferences,
    "quit": Key.Quit,
    "undo": Key.Undo,
    "redo": Key.Redo,
    "cut": Key.Cut,
    "copy": Key.Copy,
    "paste": Key.Paste,
    "select_all": Key.SelectAll,
    "bigger": Key.ZoomIn,
    "smaller": Key.ZoomOut,
    "full_screen": Key.FullScreen,
    "regenerate": Key.Refresh,
}
OTHER_KEYS = {
    "run": "Ctrl+Return",
    "stop": "Ctrl+.",
    "minimise": "Ctrl+M",
    "usual_size": "Ctrl+0",
    "copy_answer": "Ctrl+Shift+C",
    "edit_last": "Ctrl+E",
    "clear": "Ctrl+K",
    "system_prompt": "Ctrl+Shift+P",
    "unload": "Ctrl+Shift+U",
    **{f"{key}_page": f"Ctrl+Alt+{n}" for n, key in enumerate(KEYS, start=1)},
    **{f"focus_{n}": f"Ctrl+{n}" for n in range(1, 5)},
}
CHECKABLE = (
    "legend",
    "show_rounds",
    "show_memory",
    "system_prompt",
    "without_text",
    "appearance_system",
    "appearance_light",
    "appearance_dark",
    "language_system",
    "language_en",
    "language_zh_CN",
    "order_interleaved",
    "order_sequential",
    "same_sampling",
)
GROUPS = (
    tuple(f"appearance_{choice}" for choice in APPEARANCES),
    ("language_system", "language_en", "language_zh_CN"),
    ("order_interleaved", "order_sequential"),
)
MENUS: dict[str, tuple[str, ...]] = {
    "file": ("new", "open", "open_recent", "-", "export", "-", "close", "quit"),
    "edit": (
        "undo",
        "redo",
        "-",
        "cut",
        "copy",
        "paste",
        "select_all",
        "-",
        "copy_answer",
        "edit_last",
        "clear",
        "undo_clear",
        "-",
        "preferences",
    ),
    "view": (
        "appearance",
        "language",
        "-",
        "legend",
        "show_rounds",
        "show_memory",
        "system_prompt",
        "-",
        "bigger",
        "smaller",
        "usual_size",
        "-",
        "full_screen",
    ),
    "run_menu": (
        "run",
        "stop",
        "regenerate",
        "-",
        "add_arm",
        "same_sampling",
        "order",
        "-",
        "job",
        "unload",
        "restart_engine",
    ),
    "window": (
        "minimise",
        "zoom",
        "-",
        *(f"{key}_page" for key in KEYS),
        "-",
        *(f"focus_{n}" for n in range(1, 5)),
    ),
    "help": ("keyboard", "definitions", "troubleshooting", "-", "open_log", "about"),
    "export": ("export_trace", "export_csv", "export_perfetto", "export_html", "export_markdown", "-", "without_text"),
    "appearance": GROUPS[0],
    "language": GROUPS[1],
    "order": GROUPS[2],
    "open_recent": (),
}
TOP = ("file", "edit", "view", "run_menu", "window", "help")


class Actions(QObject):
    """Actions by name, as attributes of ``by_name``; menus by name in ``menus``."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.by_name: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {}
        for names in MENUS.values():
            for name in names:
                if name != "-" and name not in MENUS and name not in self.by_name:
                    self.by_name[name] = self._make(name)
        for group in GROUPS:
            actions = QActionGroup(self)
            for name in group:
                actions.addAction(self.by_name[name])

    def __getitem__(self, name: str) -> QAction:
        return self.by_name[name]

    def _make(self, name: str) -> QAction:
        action = QAction(self)
        action.setObjectName(name)
        action.setMenuRole(
            {"about": Role.AboutRole, "preferences": Role.PreferencesRole, "quit": Role.QuitRole}.get(name, Role.NoRole)
        )
        action.setCheckable(name in CHECKABLE)
        if name in STANDARD_KEYS:
            action.setShortcuts(STANDARD_KEYS[name])
        elif name in OTHER_KEYS:
            action.setShortcut(QKeySequence(OTHER_KEYS[name]))
        return action

    def fill(self, bar: QMenuBar) -> None:
        for name in TOP:
            bar.addMenu(self._menu(name))
        self.retranslate()

    def _menu(self, name: str) -> QMenu:
        menu = QMenu()
        self.menus[name] = menu
        menu.menuAction().setMenuRole(Role.NoRole)
        for entry in MENUS[name]:
            if entry == "-":
                menu.addSeparator().setMenuRole(Role.NoRole)
            elif entry in MENUS:
                menu.addMenu(self._menu(entry))
            else:
                menu.addAction(self.by_name[entry])
        return menu

    def retranslate(self) -> None:
        for name, text in self._menu_texts().items():
            if name in self.menus:
                self.menus[name].setTitle(text)
        for name, text in self._texts().items():
            self.by_name[name].setText(text)

    def _menu_texts(self) -> dict[str, str]:
        return {
            "file": self.tr("File"),
            "edit": self.tr("Edit"),
            "view": self.tr("View"),
            "run_menu": self.tr("Run"),
            "window": self.tr("Window"),
            "help": self.tr("Help"),
            "export": self.tr("Export"),
            "appearance": self.tr("Appearance"),
            "language": self.tr("Language"),
            "order": self.tr("Panes Run"),
            "open_recent": self.tr("Open Recent"),
        }

    def _texts(self) -> dict[str, str]:
        return {
            "new": self.tr("New Comparison"),
            "open": self.tr("Open Trace…"),
            "close": self.tr("Close Window"),
            "quit": self.tr("Quit Slipstream"),
            "export_trace": self.tr("Trace…"),
            "export_csv": self.tr("CSV…"),
            "export_perfetto": self.tr("Perfetto…"),
            "export_html": self.tr("HTML Report…"),
            "export_markdown": self.tr("Markdown…"),
            "without_text": self.tr("Leave Text Out"),
            "undo": self.tr("Undo"),
            "redo": self.tr("Redo"),
            "cut": self.tr("Cut"),
            "copy": self.tr("Copy"),
            "paste": self.tr("Paste"),
            "select_all": self.tr("Select All"),
            "copy_answer": self.tr("Copy Answer"),
            "edit_last": self.tr("Edit Last Prompt"),
            "clear": self.tr("Clear Conversation"),
            "undo_clear": self.tr("Undo Clear"),
            "preferences": self.tr("Preferences…"),
            "appearance_system": self.tr("System"),
            "appearance_light": self.tr("Light"),
            "appearance_dark": self.tr("Dark"),
            "language_system": self.tr("System Language"),
            "language_en": "English",
            "language_zh_CN": "简体中文",
            "legend": self.tr("Token Origins and Legend"),
            "show_rounds": self.tr("Rounds"),
            "show_memory": self.tr("Memory"),
            "system_prompt": self.tr("System Prompt"),
            "bigger": self.tr("Bigger Text"),
            "smaller": self.tr("Smaller Text"),
            "usual_size": self.tr("Usual Text Size"),
            "full_screen": self.tr("Full Screen"),
            "run": self.tr("Send or Run Again"),
            "stop": self.tr("Stop"),
            "regenerate": self.tr("Run Last Prompt Again"),
            "add_arm": self.tr("Add Pane"),
            "same_sampling": self.tr("Same Sampling in All Panes"),
            "order_interleaved": self.tr("In Turn, Round by Round"),
            "order_sequential": self.tr("One after the Other"),
            "unload": self.tr("Unload Models"),
            "restart_engine": self.tr("Restart Engine"),
            "minimise": self.tr("Minimise"),
            "zoom": self.tr("Zoom"),
            **{f"{key}_page": title for key, title in titles().items()},
            **{f"focus_{n}": self.tr("Pane {n}").format(n=n) for n in range(1, 5)},
            "keyboard": self.tr("Keyboard"),
            "definitions": self.tr("What the Numbers Mean"),
            "troubleshooting": self.tr("Troubleshooting"),
            "open_log": self.tr("Open Log Folder"),
            "about": self.tr("About Slipstream"),
        }

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        return super().event(event)
