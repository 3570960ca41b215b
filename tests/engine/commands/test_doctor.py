"""``slipstream doctor``: each fault is found, said and answered with what to do; none hides the others."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from engine import backend, paths
from engine.commands import doctor
from engine.models import demo
from tests import embedded


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    doctor.add_parser(parser.add_subparsers())
    args = parser.parse_args(["doctor", *words])
    return int(args.run(args))


def healthy() -> doctor.Finding:
    return True, "fine", "never shown"


def broken() -> doctor.Finding:
    return False, "torn", "mend it"


def raising() -> doctor.Finding:
    raise RuntimeError("no such thing")


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = {"first": healthy, "second": broken, "third": raising}
    monkeypatch.setattr(doctor, "checks_of", lambda system: checks)


@pytest.mark.usefixtures("only")
def test_list_is_readable_and_a_fault_is_exit_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 1
    assert capsys.readouterr().out.splitlines() == [
        "✓ first: fine",
        "✗ second: torn",
        "  → mend it",
        "✗ third: RuntimeError: no such thing",
        "  → run `make setup`",
    ]


@pytest.mark.usefixtures("only")
def test_json_has_name_ok_detail_and_fix(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--json") == 1
    first, second, _ = json.loads(capsys.readouterr().out)["checks"]
    assert first == {"name": "first", "ok": True, "detail": "fine", "fix": ""}
    assert second == {"name": "second", "ok": False, "detail": "torn", "fix": "mend it"}


def test_all_well_is_exit_status_0(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(doctor, "checks_of", lambda system: {"only": healthy})
    assert run() == 0
    assert capsys.readouterr().out == "✓ only: fine\n"


def test_checks_of_linux_alone_are_not_asked_on_macos() -> None:
    mac, linux = doctor.checks_of("darwin"), doctor.checks_of("linux")
    assert set(linux) - set(mac) == {"BLAS", "compiler", "Chinese fonts"}
    assert set(mac) <= set(linux)


@pytest.mark.parametrize(
    ("version", "ok"), [((3, 10, 9), False), ((3, 11, 0), True), ((3, 13, 5), True), ((3, 14, 0), False)]
)
def test_python_version(version: tuple[int, int, int], ok: bool) -> None:
    assert doctor.python(version)[0] is ok


def test_missing_blas_says_which_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "setup_backend", lambda: backend.BLAS_MISSING)
    ok, detail, fix = doctor.checks_of("linux")["BLAS"]()
    assert (ok, detail, fix) == (False, backend.BLAS_MISSING, "apt-get install libopenblas0-pthread")


def test_module_that_cannot_be_imported_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "ENGINE_MODULES", ("json", "no_such_module"))
    monkeypatch.setattr(doctor, "WINDOW_MODULES", ("no_such_window",))
    ok, detail, _ = doctor.checks_of("linux")["packages"]()
    assert not ok
    assert "no_such_module" in detail
    assert "no_such_window" in detail
    assert "json" not in detail


def test_embedded_model_is_intact_or_its_source_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check = doctor.checks_of("linux")["embedded model"]
    embedded.directory()
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path))
    ok, detail, _ = check()
    assert ok
    assert "converted" in detail
    changed = tmp_path / "changed.gguf"
    changed.write_bytes(b"GGUF")
    monkeypatch.setattr(demo, "source_file", lambda: changed)
    ok, detail, fix = check()
    assert not ok
    assert str(changed) in detail
    assert fix == doctor.REINSTALL


def test_arithmetic_of_this_machine_is_right() -> None:
    assert doctor.checks_of("linux")["4-bit arithmetic"]()[0]


def test_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    good, bad = tmp_path / "new" / "cache", tmp_path / "file" / "logs"
    assert doctor.directories((good,))[0]
    ok, detail, fix = doctor.directories((good, bad))
    assert not ok
    assert str(bad) in detail
    assert str(good) not in detail
    assert paths.HOME_VARIABLE in fix


def test_disk_and_memory_have_a_limit(tmp_path: Path) -> None:
    assert doctor.disk(2 * doctor.GIB, tmp_path)[0]
    assert not doctor.disk(doctor.GIB // 2, tmp_path)[0]
    assert doctor.memory(3 * doctor.GIB, 16 * doctor.GIB)[0]
    assert not doctor.memory(doctor.GIB, 16 * doctor.GIB)[0]


def test_window_is_tried_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    check = doctor.checks_of("linux")["window"]
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert check()[:2] == (True, "Qt opens its platform offscreen")
    monkeypatch.setenv("QT_QPA_PLATFORM", "no-such-platform")
    ok, detail, fix = check()
    assert not ok
    assert detail.startswith("Qt can't open a window: ")
    assert fix
