"""The language of the window: English in the source, Simplified Chinese from ``resources/translations``.

A person chooses System, English or 简体中文. The choice applies at once: Qt sends every widget a LanguageChange event.
To refresh the catalogue after a string changed, run ``pyside6-lupdate`` on the files of ``app`` and
``pyside6-lrelease`` on the result.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.paths import RESOURCES

LANGUAGES = ("system", "en", "zh_CN")
translate = QCoreApplication.translate


class Language:
    """Installs and removes the translators of one application."""

    def __init__(self, app: QCoreApplication) -> None:
        self._app = app
        self._installed: list[QTranslator] = []
        self.current = "en"

    @property
    def installed(self) -> int:
        """Catalogues in use: Qt's and ours, where it isn't English."""
        return len(self._installed)

    def set(self, choice: str) -> None:
        for translator in self._installed:
            self._app.removeTranslator(translator)
        self._installed = []
        self.current = resolve(choice)
        if self.current == "en":
            return
        qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        for name, folder in (
            (f"qtbase_{self.current}", Path(qt)),
            (f"slipstream_{self.current}", RESOURCES / "translations"),
        ):
            translator = QTranslator(self._app)
            if translator.load(name, str(folder)):
                self._app.installTranslator(translator)
                self._installed.append(translator)


def resolve(choice: str) -> str:
    """``en`` or ``zh_CN``; for ``system`` the first language of the system that is one of them."""
    if choice in ("en", "zh_CN"):
        return choice
    for name in QLocale.system().uiLanguages():
        if name.startswith("zh"):
            return "zh_CN"
        if name.startswith("en"):
            return "en"
    return "en"
