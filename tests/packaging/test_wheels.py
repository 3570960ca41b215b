"""Which wheels a bundle for a Mac is made of: the lock's, for macOS 14, MLX and its kernels of one version."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from bundle import wheels

from tests.packaging.machos import thin

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_lock_is_narrowed_to_the_mac(python: str) -> None:
    lines = wheels.mac_lines(LOCK, python)
    names = [re.split(r"==", line)[0] for line in lines]
    assert len(names) == len(set(names))
    assert {"mlx", "mlx-metal", "pyside6-essentials"} <= set(names)
    assert "mlx-cpu" not in names
    assert all(re.fullmatch(r"\S+==\S+( --hash=sha256:[0-9a-f]{64})+", line) for line in lines)


def wheel(folder: Path, name: str, files: dict[str, bytes]) -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w") as archive:
        for inside, data in files.items():
            archive.writestr(inside, data)
    return path


def pair(
    folder: Path,
    metal: str = "0.32.4",
    tag: str = "macosx_14_0_arm64",
    kernels: bool = True,
    minimum: tuple[int, int] = (14, 0),
) -> list[Path]:
    files = {"mlx/lib/libmlx.dylib": thin(minimum), **({"mlx/lib/mlx.metallib": b"MTLB"} if kernels else {})}
    return [
        wheel(folder, f"mlx-0.32.4-cp312-cp312-{tag}.whl", {"mlx/core.cpython-312-darwin.so": thin()}),
        wheel(folder, f"mlx_metal-{metal}-py3-none-{tag}.whl", files),
    ]


def test_good_pair_passes_and_is_described(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = pair(tmp_path)
    assert wheels.problems(found) == []
    assert wheels.main(["check", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "mlx/lib/libmlx.dylib: 0.0 MiB, macOS 14.0 or newer" in said
    assert said.endswith("mlx and mlx-metal 0.32.4\n")


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ({"metal": "0.32.3"}, "mlx 0.32.4 and mlx-metal 0.32.3 differ"),
        ({"tag": "macosx_26_0_arm64"}, "macosx_26_0_arm64.whl is for a newer macOS than 14"),
        ({"kernels": False}, "mlx.metallib, MLX's kernels, is in none of them"),
        ({"minimum": (15, 0)}, "mlx/lib/libmlx.dylib needs macOS 15.0"),
    ],
    ids=["versions", "tag", "kernels", "system"],
)
def test_each_known_fault_is_refused(tmp_path: Path, fault: dict[str, object], sentence: str) -> None:
    assert any(sentence in problem for problem in wheels.problems(pair(tmp_path, **fault)))  # type: ignore[arg-type]
    with pytest.raises(SystemExit, match=re.escape(sentence)):
        wheels.main(["check", str(tmp_path)])


def test_missing_half_is_refused(tmp_path: Path) -> None:
    assert wheels.problems(pair(tmp_path)[:1])[0] == "mlx and mlx-metal have to be there, once each"
