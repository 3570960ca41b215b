"""The frozen program on a machine that has nothing: no environment, another home, no network, another place.

What it maps into memory is looked at too: a bundle that finds the checkout's own libraries would pass everywhere but on
a user's machine.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.process.client import EngineClient
from engine.trace.events import Arm, Round, Settings

ROOT = Path(__file__).resolve().parents[2]
MAC = sys.platform == "darwin"
BUILT = ROOT / "dist" / ("Slipstream.app" if MAC else "Slipstream")
INSIDE = Path("Contents/MacOS/Slipstream") if MAC else Path("Slipstream")

pytestmark = pytest.mark.skipif(not BUILT.is_dir(), reason="dist is empty: make test-app builds it first")

FATAL = re.compile(
    r"Traceback|Fatal|Segmentation|Aborted|No module named|cannot open shared object|symbol lookup|Library not loaded"
    r"|Failed to (load|execute)|Could not (load|find) the Qt|could not be initialized|qt\.qpa\.plugin|nanobind"
)
START_S = 120.0
FLAGS = ("-B", "-S", "-I")
"""What the frozen interpreter hands on to such a helper: its own flags."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """In another place than it was built in, linked rather than copied where that works."""
    place = tmp_path_factory.mktemp("another place") / BUILT.name
    shutil.copytree(BUILT, place, symlinks=True, copy_function=link_or_copy)
    yield place / INSIDE
    shutil.rmtree(place, ignore_errors=True)


def link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Nothing of this process's environment."""
    return {
        "HOME": str(tmp_path_factory.mktemp("home")),
        "PATH": "/usr/bin:/bin",
        "QT_QPA_PLATFORM": "offscreen",
        # Where the network can't be taken away, everything that respects a proxy ends here.
        "https_proxy": "http://127.0.0.1:9",
        "http_proxy": "http://127.0.0.1:9",
    }


@functools.cache
def without_network() -> tuple[str, ...]:
    unshare = shutil.which("unshare")
    if unshare and subprocess.run([unshare, "-n", "true"], capture_output=True, check=False).returncode == 0:
        return (unshare, "-n")
    return ()


def run(
    program: Path, bare: dict[str, str], *words: str, timeout_s: float = START_S
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*without_network(), str(program), *words],
        env=bare,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def test_everything_that_has_to_be_there_is_there() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "packaging/bundle/check.py"), str(BUILT)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.strip() == ""
    assert done.returncode == 0


def test_self_test_passes(program: Path, bare: dict[str, str]) -> None:
    done = run(program, bare, "--selftest", "--json", timeout_s=300)
    checks = json.loads(done.stdout)["checks"]
    assert [check for check in checks if not check["ok"]] == []
    assert not FATAL.search(done.stderr), done.stderr
    inside = next(check["detail"] for check in checks if check["name"] == "embedded model")
    assert str(program.parents[2 if MAC else 0]) in inside
    tried = next(check["detail"] for check in checks if check["name"] == "embedded pair")
    assert re.search(r"with baseline and [A-E], ", tried), (
        "a trained drafter has to be in the bundle, and has to be tried"
    )


@pytest.mark.parametrize(
    "words",
    [("--version",), ("--help",), ("doctor", "--help"), ("train", "--help"), ("trace", "--help"), ("models", "list")],
)
def test_commands_answer(program: Path, bare: dict[str, str], words: tuple[str, ...]) -> None:
    done = run(program, bare, *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert not FATAL.search(done.stderr), done.stderr


def test_wrong_request_is_one_line(program: Path, bare: dict[str, str]) -> None:
    done = run(program, bare, "no-such-command")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1


def test_helper_of_multiprocessing_is_no_window(program: Path, bare: dict[str, str]) -> None:
    """The standard library starts `sys.executable` with words of its own; a bundle must understand them."""
    read, write = os.pipe()
    os.close(write)
    done = subprocess.run(
        [str(program), *FLAGS, "-c", f"from multiprocessing.resource_tracker import main;main({read})"],
        env=bare,
        pass_fds=[read],
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )
    os.close(read)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(MAC, reason="reads /proc")
def test_engine_answers_and_lives_on_the_bundle_alone(program: Path, bare: dict[str, str]) -> None:
    client = EngineClient(
        ["/usr/bin/env", "-i", *(f"{key}={value}" for key, value in bare.items()), str(program), "engine"]
    )
    try:
        arms = [
            Arm(name="baseline", settings=Settings(max_tokens=8)),
            Arm(name="table", drafter="table", settings=Settings(max_tokens=8)),
        ]
        rounds = [event for event in client.ask("Why is the sky blue?", arms) if isinstance(event, Round)]
        for arm in arms:
            assert sum(len(event.emitted_ids) for event in rounds if event.arm == arm.name) == 8
        mapped = Path(f"/proc/{client.process.pid}/maps").read_text()
    finally:
        client.close()
    files = {line.split(maxsplit=5)[5] for line in mapped.splitlines() if len(line.split(maxsplit=5)) == 6}
    ours = {name for name in files if "mlx" in name or "python" in name.lower()}
    assert ours
    strange = {name for name in files if "site-packages" in name or name.startswith(str(ROOT / ".venv"))}
    assert strange == set()


@pytest.mark.skipif(MAC, reason="a window of a Mac is tried by hand: docs/mac-checklist.md")
def test_window_opens_starts_its_engine_and_ends(program: Path, bare: dict[str, str]) -> None:
    home = Path(bare["HOME"])
    with (home / "stderr").open("w") as log:
        window = subprocess.Popen([*without_network(), str(program)], env=bare, cwd="/", stderr=log)
        try:
            deadline_s = time.monotonic() + START_S
            while not (children := engines(window.pid, program)) and time.monotonic() < deadline_s:
                assert window.poll() is None, (home / "stderr").read_text()
                time.sleep(0.2)
            assert children, "no engine was started"
            time.sleep(5)
            assert window.poll() is None
            window.send_signal(signal.SIGTERM)
            assert window.wait(30) == 0
        finally:
            window.kill()
    for _ in range(50):
        if not any(Path(f"/proc/{pid}").exists() for pid in children):
            break
        time.sleep(0.2)
    assert not any(Path(f"/proc/{pid}").exists() for pid in children), "the engine outlived the window"
    for path in [home / "stderr", *home.rglob("*.log")]:
        found = FATAL.search(path.read_text(errors="replace"))
        assert found is None, f"{path}: {found}"


def engines(parent: int, program: Path) -> list[int]:
    """Processes below ``parent`` that are this program with the word ``engine``."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                above = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
            if above == parent and words[:2] == [str(program).encode(), b"engine"]:
                found.append(int(entry.name))
    return found
