"""The recipe, the build script, the frozen program's entry and the workflow: read and tried as far as one can here."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import engine

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
SPEC = (PACKAGING / "slipstream.spec").read_text(encoding="utf-8")
SCRIPT = (PACKAGING / "build-app.sh").read_text(encoding="utf-8")
WORKFLOW = (ROOT / ".github" / "workflows" / "build.yml").read_text(encoding="utf-8")


def test_recipe_is_python_and_hides_no_fault() -> None:
    calls = {
        node.func.id: node
        for node in ast.walk(ast.parse(SPEC))
        if isinstance(node, ast.Call)
        if hasattr(node.func, "id")
    }
    assert {"Analysis", "PYZ", "EXE", "COLLECT", "BUNDLE"} <= set(calls)
    for name in ("EXE", "COLLECT"):
        words = {word.arg: word.value for word in calls[name].keywords}
        assert isinstance(words["upx"], ast.Constant)
        assert words["upx"].value is False, "packed libraries lose their signature"


@pytest.mark.parametrize("script", sorted(PACKAGING.glob("*.sh")), ids=lambda path: path.name)
def test_scripts_are_sound_shell(script: Path) -> None:
    subprocess.run(["sh", "-n", str(script)], check=True)
    assert "set -eu" in script.read_text(encoding="utf-8")


def test_every_file_the_script_calls_exists() -> None:
    for name in re.findall(r"packaging/[\w./-]+\.(?:py|sh|txt|spec)", SCRIPT):
        assert (ROOT / name).is_file(), name


def test_notarising_needs_an_identity(tmp_path: Path) -> None:
    environment = {**os.environ, "SLIPSTREAM_NOTARY_PROFILE": "profile", "SLIPSTREAM_IDENTITY": ""}
    (tmp_path / "dpkg-query").write_text("#!/bin/sh\nprintf installed\n")
    (tmp_path / "dpkg-query").chmod(0o755)
    environment["PATH"] = f"{tmp_path}:{environment['PATH']}"
    done = subprocess.run(
        ["sh", str(PACKAGING / "build-app.sh")], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "set SLIPSTREAM_IDENTITY as well" in done.stderr


def test_build_tools_are_pinned_with_hashes() -> None:
    text = (PACKAGING / "requirements-build.txt").read_text(encoding="utf-8")
    entries = [entry for entry in re.split(r"\n(?=[a-z])", text) if not entry.startswith("#")]
    assert {"pyinstaller", "pyinstaller-hooks-contrib"} <= {entry.split("==")[0] for entry in entries}
    assert all(re.match(r"[a-z-]+==[\w.]+", entry) and "--hash=sha256:" in entry for entry in entries)
    assert "://" not in text


def test_notice_names_every_package_that_the_product_asks_for_and_every_drafter() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8").lower()
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    names = {re.split(r"[\[=><; ]", entry)[0].lower() for entry in asked} | {"mlx-metal", "mlx-cpu", "shiboken6"}
    assert [name for name in sorted(names) if not re.search(rf"\b{re.escape(name)}\b", notice)] == []
    trained = sorted(path.name for path in (ROOT / "resources" / "drafters").glob("[A-E]"))
    assert f"drafters {', '.join(trained[:-1])} and {trained[-1]}".lower() in notice


def test_entry_takes_the_words_of_the_command_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(PACKAGING / "entry.py"), "--version"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"slipstream {engine.__version__}\n"


def test_program_without_streams_can_print(monkeypatch: pytest.MonkeyPatch) -> None:
    import entry

    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    entry.with_streams()
    try:
        assert sys.stdout.write("said to nobody") == len("said to nobody")
        assert sys.stdin.read() == ""
    finally:
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            stream.close()


def test_workflow_tests_and_builds_on_both_macs_and_on_linux() -> None:
    jobs = yaml.safe_load(WORKFLOW)["jobs"]
    assert jobs["application"]["strategy"]["matrix"]["system"] == ["macos-14", "macos-15", "ubuntu-24.04"]
    assert jobs["tests"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    assert any(step.get("run", "").startswith("make test ") for step in steps)
    assert any("upload-artifact" in step.get("uses", "") for step in steps)
    assert all(job["timeout-minutes"] <= 60 for job in jobs.values())
    for name in re.findall(r"(?:packaging|docs)/[\w./-]+\.\w+", WORKFLOW):
        assert (ROOT / name).is_file(), name
