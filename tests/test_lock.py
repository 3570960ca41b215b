"""The lock is complete for every system and Python that the product names, and holds hashes and no address."""

from __future__ import annotations

import importlib.metadata
import itertools
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

MAC = {"sys_platform": "darwin", "platform_system": "Darwin", "platform_machine": "arm64", "os_name": "posix"}
LINUX = {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64", "os_name": "posix"}
PYTHONS = ("3.11", "3.12", "3.13")

ENVIRONMENTS = [
    {
        **system,
        "python_version": python,
        "python_full_version": f"{python}.7",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    for system, python in itertools.product((MAC, LINUX), PYTHONS)
]

WITHOUT_THEIR_DEPENDENCIES = {entry["name"] for entry in PROJECT["tool"]["uv"]["dependency-metadata"]}

entries = [entry for entry in re.split(r"\n(?=\S)", LOCK.strip()) if not entry.startswith("#")]


def requirement_of(entry: str) -> Requirement:
    return Requirement(entry.split("\\\n")[0].strip())


LOCKED = [requirement_of(entry) for entry in entries]


def applies(requirement: Requirement, environment: dict[str, str], extra: str = "") -> bool:
    return requirement.marker is None or requirement.marker.evaluate({**environment, "extra": extra})


def locked_versions(environment: dict[str, str]) -> dict[str, Version]:
    """What pip would install there: one version of each package."""
    versions: dict[str, Version] = {}
    for requirement in LOCKED:
        if applies(requirement, environment):
            name = canonicalize_name(requirement.name)
            assert name not in versions, f"{name} is locked twice"
            versions[name] = Version(next(iter(requirement.specifier)).version)
    return versions


def dependencies(requirement: Requirement, environment: dict[str, str]) -> list[Requirement]:
    """What the package asks for there, by its installed metadata; packages of the other system have none here."""
    name = canonicalize_name(requirement.name)
    if name in WITHOUT_THEIR_DEPENDENCIES:
        return []
    try:
        asked = importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:
        return []
    extras = ["", *requirement.extras]
    return [
        wanted for wanted in map(Requirement, asked) if any(applies(wanted, environment, extra) for extra in extras)
    ]


def own_requirements() -> list[Requirement]:
    return [Requirement(text) for text in (*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"])]


environments = pytest.mark.parametrize(
    "environment", ENVIRONMENTS, ids=lambda e: f"{e['sys_platform']}-{e['python_version']}"
)


@environments
def test_everything_asked_for_is_locked_in_a_version_that_fits(environment: dict[str, str]) -> None:
    versions = locked_versions(environment)
    pending = [requirement for requirement in own_requirements() if applies(requirement, environment)]
    reached: set[tuple[str, str]] = set()
    while pending:
        wanted = pending.pop()
        name = canonicalize_name(wanted.name)
        assert name in versions, f"{wanted} is not in the lock"
        assert wanted.specifier.contains(versions[name], prereleases=True), f"{wanted} against {versions[name]}"
        if (name, str(sorted(wanted.extras))) not in reached:
            reached.add((name, str(sorted(wanted.extras))))
            pending += dependencies(wanted, environment)
    unreached = set(versions) - {name for name, _ in reached}
    # Metadata of packages that only the other system has can't be read here.
    assert unreached <= {"colorama"}, f"locked, but nothing asks for them: {sorted(unreached)}"


@environments
def test_mlx_and_its_backend_are_of_one_version(environment: dict[str, str]) -> None:
    versions = locked_versions(environment)
    backend, other = ("mlx-metal", "mlx-cpu") if environment["sys_platform"] == "darwin" else ("mlx-cpu", "mlx-metal")
    assert versions["mlx"] == versions[backend]
    assert other not in versions


def test_no_heavy_framework_came_along() -> None:
    assert not {"torch", "jax", "llama-cpp-python"} & {canonicalize_name(requirement.name) for requirement in LOCKED}


def test_every_entry_is_one_version_with_hashes() -> None:
    for entry, requirement in zip(entries, LOCKED, strict=True):
        assert re.fullmatch(r"==[^,]+", str(requirement.specifier)), entry.splitlines()[0]
        hashes = entry.split("\\\n")[1:]
        assert hashes, f"{requirement.name} has no hash"
        assert all(re.fullmatch(r"\s*--hash=sha256:[0-9a-f]{64}\s*", line) for line in hashes), requirement.name


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml"])
def test_no_address_of_a_registry(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert not re.search(r"://|--(extra-)?index-url|--find-links|\bindex-url\b|@ *(file|git)", text)


def test_pythons_are_the_projects() -> None:
    supported = SpecifierSet(PROJECT["project"]["requires-python"])
    minors = [f"3.{minor}" for minor in range(8, 20)]
    assert [minor for minor in minors if supported.contains(f"{minor}.0")] == list(PYTHONS)
