"""Pictures of the window in real use: the real engine on the embedded model, an empty profile, light and dark, both
languages.

python -m tests.screenshots [FOLDER]

The first picture of each pair is taken in mid-run, the second when both panes have ended.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.runner import Runner

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 180
ENOUGH_ROUNDS = 24

TIDE = (
    "The tide is the rise and fall of the sea. It is caused by the pull of the moon and the sun on the water, "
    "and by the turning of the earth. Most coasts see two high tides and two low tides a day. "
    "When sun and moon pull in one line, the tides are largest and are called spring tides."
)
PROMPTS = {
    "en": f"Repeat the following text exactly, word for word.\n\n{TIDE}",
    "zh_CN": f"请逐字重复下面这段话。\n\n{TIDE}",
}


def main(folder: Path) -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("FONTCONFIG_FILE", str(ROOT / "tests" / "app" / "fonts.conf"))
    from PySide6.QtCore import QSettings

    from app.main import Application, identify, make_window
    from engine import paths

    models = paths.models_dir()  # the converted model is the user's, the rest of the profile is empty
    folder.mkdir(parents=True, exist_ok=True)
    app = Application(sys.argv[:1])
    with tempfile.TemporaryDirectory(prefix="slipstream-") as home:
        os.environ["SLIPSTREAM_HOME"] = home
        paths.models_dir().parent.mkdir(parents=True, exist_ok=True)
        paths.models_dir().symlink_to(models)
        QSettings.setDefaultFormat(QSettings.Format.IniFormat)
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, home)
        identify(app)
        window = make_window(app)
        window.ask_before_quit = False
        window.resize(1280, 800)
        window.show()
        window.begin()
        for language, prompt in PROMPTS.items():
            for theme in ("light", "dark"):
                window.actions_[f"appearance_{theme}"].trigger()
                window.actions_[f"language_{language}"].trigger()
                window.new()
                window.conversation.ask(prompt)
                wait(app, lambda: rounds(window.runner) > ENOUGH_ROUNDS or not window.runner.running)
                window.grab().save(str(folder / f"run-{theme}-{language}.png"))
                wait(app, lambda: not window.runner.running)
                window.grab().save(str(folder / f"end-{theme}-{language}.png"))
        window.shut_down()
        window.deleteLater()
        app.processEvents()


def rounds(runner: Runner) -> int:
    if runner.session.last is None:
        return 0
    return max((len(run.rounds) for run in runner.session.last.runs.values()), default=0)


def wait(app: QApplication, done: Callable[[], bool]) -> None:
    until = time.monotonic() + LIMIT_S
    while not done():
        if time.monotonic() > until:
            raise TimeoutError("The engine took too long.")
        app.processEvents()
        time.sleep(0.005)
    for _ in range(30):  # what is still queued for the next frames
        app.processEvents()
        time.sleep(0.01)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "screenshots"))
