"""The window's own speed: time to the first paint, and how long the UI thread is held while two arms stream.

python -m tests.bench.ui [--rounds N] [--speed ROUNDS_A_SECOND]

A timer asks to be called every few milliseconds; how late it is called is how long a click would have waited. ``own``
is the processor time that the UI thread itself spent between two calls: unlike the wall clock, it doesn't count other
programs. The engine is the scripted one, a process of its own as in the product, so that only the window is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TICK_MS = 4
FIRST_PAINT = """
import sys, time
from PySide6.QtCore import QEvent, QObject, QTimer
import app.main as program
began = float(sys.argv[1])
real = program.make_window
class Watch(QObject):
    def eventFilter(self, thing, event):
        if event.type() == QEvent.Type.Paint:
            print(time.time() - began, flush=True)
            thing.removeEventFilter(self)
            QTimer.singleShot(0, program.QApplication.closeAllWindows)
        return False
watch = Watch()
def make(app):
    window = real(app, [sys.executable, "-m", "tests.fakes"])
    window.chat.panes.first.installEventFilter(watch)
    return window
program.make_window = make
sys.exit(program.main([]))
"""


def first_paint_s(tries: int = 3) -> list[float]:
    """From the start of the process to the first paint of a pane, for each of a few starts."""
    times = []
    with tempfile.TemporaryDirectory() as home:
        environment = {
            **os.environ,
            "SLIPSTREAM_HOME": home,
            "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen"),
        }
        for _ in range(tries):
            done = subprocess.run(
                [sys.executable, "-c", FIRST_PAINT, str(time.time())],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                check=True,
                timeout=120,
            )
            times.append(float(done.stdout.split()[0]))
    return times


def latency_ms(rounds: int = 10_000, speed: float = 2000.0) -> dict[str, float]:
    """How late the event loop is while both arms stream and the heatmap holds this many rounds."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ["SLIPSTREAM_HOME"] = home
        from PySide6.QtCore import QEvent, QEventLoop, QSettings, Qt, QTimer

        from app.main import Application, identify, make_window
        from engine.trace.events import Arm, Settings
        from tests.fakes import answer_tokens, scripted_rounds

        app = Application(sys.argv[:1])
        QSettings.setDefaultFormat(QSettings.Format.IniFormat)
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, home)
        identify(app)
        tokens = 0
        for number, item in enumerate(scripted_rounds("speculative", answer_tokens(rounds * 8), seed=1)):
            if number == rounds:
                break
            tokens += item.emitted_tokens
        arms = (
            Arm(name="baseline", settings=Settings(max_tokens=rounds)),
            Arm(name="speculative", drafter="lookup", settings=Settings(max_tokens=tokens)),
        )
        window = make_window(app, [sys.executable, "-m", "tests.fakes", "--speed", str(speed)])
        window.ask_before_quit = False
        window.arms.set(arms)
        window.show()
        window.begin()
        loop = QEventLoop()
        late: list[float] = []
        worked: list[float] = []
        last, last_cpu = time.perf_counter(), time.thread_time()

        def tick() -> None:
            nonlocal last, last_cpu
            now, cpu = time.perf_counter(), time.thread_time()
            late.append(max(0.0, (now - last) * 1000 - TICK_MS))
            worked.append((cpu - last_cpu) * 1000)
            last, last_cpu = now, cpu

        timer = QTimer()
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.setInterval(TICK_MS)
        timer.timeout.connect(tick)
        window.runner.running_changed.connect(lambda on: None if on else loop.quit())
        began = time.perf_counter()
        window.conversation.ask("Stream.")
        timer.start()
        loop.exec()
        timer.stop()
        took_s = time.perf_counter() - began
        held = len(window.chat.session.last.runs["speculative"].rounds) if window.chat.session.last else 0
        window.close()
        window.deleteLater()
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    late.sort()
    worked.sort()
    return {
        "rounds": held,
        "took_s": round(took_s, 1),
        "p50_ms": round(late[len(late) // 2], 1),
        "p95_ms": round(late[len(late) * 95 // 100], 1),
        "p99_ms": round(late[len(late) * 99 // 100], 1),
        "most_ms": round(late[-1], 1),
        "own_p95_ms": round(worked[len(worked) * 95 // 100], 1),
        "own_most_ms": round(worked[-1], 1),
    }


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument(
        "--speed", type=float, default=2000.0, help="rounds a second that the engine sends; 0 without limit"
    )
    options = parser.parse_args(argv)
    print(json.dumps({"first_paint_s": [round(value, 2) for value in first_paint_s()]}))
    print(json.dumps({"event_loop_late": latency_ms(options.rounds, options.speed)}))


if __name__ == "__main__":
    main()
