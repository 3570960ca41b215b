"""What holds for the repository as a whole: who imports whom, what the make targets need, how the package is named."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

import engine

ROOT = Path(__file__).resolve().parents[1]

WINDOW_MAY_IMPORT = {
    "engine",
    "engine.paths",
    "engine.process.client",
    "engine.process.jobs",
    "engine.process.launch",
    "engine.process.protocol",
    "engine.process.shelf",
}


def test_window_imports_the_contract_alone() -> None:
    """A new module of the engine is forbidden to the window until it is named here."""
    graph = grimp.build_graph("app", "engine", cache_dir=None)
    seen = {
        imported
        for module in graph.modules
        if module.split(".")[0] == "app"
        for imported in graph.find_modules_directly_imported_by(module)
        if imported.split(".")[0] == "engine" and not imported.startswith("engine.trace")
    }
    assert seen <= WINDOW_MAY_IMPORT


def test_events_import_nothing_of_ours() -> None:
    graph = grimp.build_graph("engine", cache_dir=None)
    for module in graph.find_descendants("engine.trace") | {"engine.trace"}:
        imported = graph.find_modules_directly_imported_by(module)
        assert all(name.startswith("engine.trace") for name in imported), module


@pytest.mark.parametrize("module", ["app.window", "engine.process.client", "engine.trace.file", "engine.text"])
def test_module_brings_no_mlx(module: str) -> None:
    heavy = ("mlx", "mlx_lm", "transformers")
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "[]"


def test_version_is_written_once_and_is_in_the_changelog() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "engine.__version__"}
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(engine.__version__)}\]", changelog, re.MULTILINE)
    assert "## [Unreleased]" in changelog


def test_licence_is_the_one_that_is_named() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_every_decision_says_why_and_what_follows() -> None:
    records = sorted((ROOT / "docs" / "adr").glob("*.md"))
    assert records
    numbers = [int(record.name[:4]) for record in records]
    assert numbers == list(range(1, len(records) + 1))
    for record in records:
        text = record.read_text(encoding="utf-8")
        assert all(f"\n## {part}\n" in text for part in ("Context", "Decision", "Consequences")), record.name


# make


def target_names() -> list[str]:
    listed = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [line.split()[1] for line in listed.splitlines()]


def test_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony is not None
    assert sorted(target_names()) == sorted(phony[1].split())


@pytest.mark.parametrize("target", ["run", "test", "lint", "test-peers", "bench", "screenshots"])
def test_target_sets_up_first(target: str, tmp_path: Path) -> None:
    """In a fresh checkout each of these makes the environment before it does its own work."""
    checkout = tmp_path / "a checkout"
    checkout.mkdir()
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, checkout)
    shutil.copytree(ROOT / "packaging", checkout / "packaging")
    planned = subprocess.run(["make", "-n", target], cwd=checkout, capture_output=True, text=True, check=True).stdout
    assert planned.index("pip install") < planned.index("engine.models.demo") < planned.rindex(".venv/bin/")


def test_changed_lock_installs_again_and_nothing_else_does(tmp_path: Path) -> None:
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "packaging", tmp_path / "packaging")
    stamp = tmp_path / ".venv" / ".setup-done"
    stamp.parent.mkdir()
    stamp.touch()
    newest = max(path.stat().st_mtime for path in (tmp_path / "requirements.lock", *(tmp_path / "packaging").iterdir()))

    def planned() -> str:
        return subprocess.run(["make", "-n", "setup"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    os.utime(stamp, (newest + 10, newest + 10))
    assert "pip" not in planned()
    os.utime(tmp_path / "requirements.lock", (newest + 20, newest + 20))
    assert "pip install" in planned()


def find_python(*candidates: str) -> subprocess.CompletedProcess[str]:
    script = ROOT / "packaging" / "find-python.sh"
    return subprocess.run(["sh", str(script), *candidates], capture_output=True, text=True, check=False)


def test_first_usable_python_is_found() -> None:
    assert find_python("no-such-python", sys.executable, "python3").stdout.strip() == sys.executable


def test_no_python_is_one_clear_sentence() -> None:
    found = find_python("", "no-such-python", "false")
    assert found.returncode == 1
    assert found.stdout == ""
    assert "install Python 3.11, 3.12 or 3.13" in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="the script is Linux's")
def test_linux_packages_are_named_where_they_cannot_be_installed(tmp_path: Path) -> None:
    """With a system that has nothing, for a user who may not install."""
    fakes = {"dpkg-query": "exit 1", "id": "echo 1000", "uname": "echo Linux"}
    for name, body in fakes.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    script = ROOT / "packaging" / "linux-setup.sh"
    done = subprocess.run(["sh", str(script)], capture_output=True, text=True, check=True, env=environment)
    assert "sudo apt-get install libopenblas0-pthread g++ libegl1" in done.stderr


def test_continuous_integration_runs_make_test() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text(encoding="utf-8").rstrip().endswith("exec make test")


def test_every_relative_link_of_the_pages_leads_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "@@" not in text, page
        for link in re.findall(r"\]\(([^)#]+)", text):
            if not link.startswith("http"):
                assert (page.parent / link).exists(), f"{page.name}: {link}"
