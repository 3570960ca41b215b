"""``slipstream doctor``: each fault is found, said and answered with what to do; none hides the others."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from engine import backend, cli, paths
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
    *lines, last = capsys.readouterr().out.splitlines()
    assert last.startswith("2 of 3 checks failed (")
    assert lines == [
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
    assert capsys.readouterr().out.splitlines()[0] == "✓ only: fine"


def test_self_test_of_the_executable_is_the_same_list(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "checks_of", lambda system: {"only": broken})
    assert cli.main(["--selftest", "--json"]) == 1
    assert [check["name"] for check in json.loads(capsys.readouterr().out)["checks"]] == ["only"]
    with pytest.raises(SystemExit):
        cli.main(["--json"])
    assert "--json belongs to" in capsys.readouterr().err


def test_checks_of_linux_alone_are_not_asked_on_macos() -> None:
    mac, linux = doctor.checks_of("darwin"), doctor.checks_of("linux")
    assert set(linux) - set(mac) == {"BLAS", "compiler", "Chinese fonts"}
    assert set(mac) - set(linux) == {"Metal library"}


def test_everything_that_can_break_in_a_bundle_is_checked() -> None:
    asked = set(doctor.checks_of("darwin"))
    assert {
        "packages",
        "backend",
        "MLX versions",
        "4-bit arithmetic",
        "directories",
        "window",
        "embedded pair",
    } <= asked


@pytest.mark.parametrize("place", ["mlx/lib/mlx.metallib", "mlx.metallib"])
def test_metal_library_is_found_beside_mlx_or_in_the_root(tmp_path: Path, place: str) -> None:
    core = tmp_path / "mlx" / "core.cpython-312-darwin.so"
    assert doctor.metal_library(core) is None
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).write_bytes(b"MTLB")
    assert doctor.metal_library(core) == tmp_path / place


def test_kernels_of_another_version_are_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"mlx": "0.32.4", "mlx-metal": "0.32.4"}
    monkeypatch.setattr(doctor.importlib.metadata, "version", versions.__getitem__)
    assert doctor.mlx_versions("darwin") == (True, "mlx 0.32.4, mlx-metal 0.32.4", doctor.REINSTALL)
    versions["mlx-metal"] = "0.32.2"
    assert not doctor.mlx_versions("darwin")[0]


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
    ok, detail, _ = check()
    assert ok
    assert detail.startswith("painted on offscreen: 1280 × 800 pixels, ")
    monkeypatch.setenv("QT_QPA_PLATFORM", "no-such-platform")
    ok, detail, fix = check()
    assert not ok
    assert detail.startswith("the window can't be painted: ")
    assert fix
