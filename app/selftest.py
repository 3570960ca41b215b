"""Paints the window once and says what was seen: part of ``slipstream doctor``, in a process of its own.

No engine is started and nothing of the user's is read or written: the window lives in an empty profile.
"""

from __future__ import annotations

import os
import sys
import tempfile

from PySide6.QtCore import QEvent, QSettings
from PySide6.QtGui import QImage

from app.main import Application, identify, make_window
from engine.paths import HOME_VARIABLE

SIZE_PX = (1280, 800)
LEAST_COLOURS = 8
STEP_PX = 4


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="slipstream-selftest-", ignore_cleanup_errors=True) as home:
        os.environ[HOME_VARIABLE] = home
        QSettings.setDefaultFormat(QSettings.Format.IniFormat)
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, home)
        app = Application(sys.argv[:1])
        identify(app)
        window = make_window(app)
        window.language.set("zh_CN")
        translators = window.language.installed
        window.resize(*SIZE_PX)
        window.show()
        app.processEvents()
        image = window.grab().toImage()
        found = colours(image)
        problem = ""
        if found < LEAST_COLOURS:
            problem = f"the window is blank: {found} colours"
        elif translators < 2:
            problem = f"of two Chinese catalogues (Qt's and ours) {translators} can be loaded"
        size = f"{image.width()} × {image.height()}"
        sys.stdout.write(f"{problem or f'painted on {app.platformName()}: {size} pixels, {found} colours'}\n")
        window.shut_down()
        window.deleteLater()
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        app.quit()
        return 1 if problem else 0


def colours(image: QImage) -> int:
    """Different colours on a grid of points."""
    points = ((x, y) for y in range(0, image.height(), STEP_PX) for x in range(0, image.width(), STEP_PX))
    return len({image.pixel(x, y) for x, y in points})
