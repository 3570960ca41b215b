"""Pictures of the window in real use: the real engine on the embedded model, an empty profile, light and dark, both
languages; then the pages for long jobs, over scripted jobs, also at the least size.

python -m tests.screenshots [FOLDER] [chat|jobs]

The first picture of each pair is taken in mid-run, the second when both panes or the job have ended.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.runner import Runner
    from app.window import Window

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 180
SIZES = ((1280, 800), (960, 600))
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


def main(folder: Path, part: str = "") -> None:
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
        if part in ("", "chat"):
            chat(app, window, folder)
        if part in ("", "jobs"):
            jobs(app, window, folder)
        window.shut_down()
        window.deleteLater()
        app.processEvents()


def chat(app: QApplication, window: Window, folder: Path) -> None:
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


def jobs(app: QApplication, window: Window, folder: Path) -> None:
    """The Lab and Train pages before a job, in mid-run and at its end, in every size, appearance and language."""
    runner = window.work.jobs
    for key, stage in (("lab", "concurrency"), ("train", "evaluate")):
        window.show_page(key)
        page = window.page_of[key]
        everywhere(app, window, folder, f"{key}-before")
        runner.command = partial(scripted, stage)
        page.setup.start.click()
        wait(app, partial(lambda stage: runner.state.stage == stage, stage))
        everywhere(app, window, folder, f"{key}-run")
        runner.stop()
        wait(app, lambda: not runner.running)
        everywhere(app, window, folder, f"{key}-end")
    window.show_page("lab")
    window.page_of["lab"].panel.buttons[-1].click()
    everywhere(app, window, folder, "lab-former")


def scripted(stage: str, words: Sequence[str]) -> list[str]:
    """A job that waits in this stage until it is stopped."""
    own = ["--pause-s", "0.02", "--wait-in", stage]
    return [sys.executable, "-m", "tests.fake_jobs", *own, "--", *words, "--progress", "json"]


def everywhere(app: QApplication, window: Window, folder: Path, name: str) -> None:
    for width, height in SIZES:
        window.resize(width, height)
        for theme in ("light", "dark"):
            for language in PROMPTS:
                window.actions_[f"appearance_{theme}"].trigger()
                window.actions_[f"language_{language}"].trigger()
                wait(app, lambda: True)
                window.grab().save(str(folder / f"{name}-{width}-{theme}-{language}.png"))


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
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "screenshots"), *sys.argv[2:3])
