"""Nothing is shipped without a number and a word about it."""

from __future__ import annotations

import re

import pytest
from bundle import release

import engine

LOG = """# Changelog

## [Unreleased]
{unreleased}
## [1.2.0] - 2026-11-29

### Added

- Something.

## [1.1.0]
"""


def test_version_stands_in_one_place() -> None:
    assert release.version_of(f'x = 1\n__version__ = "{engine.__version__}"\n') == engine.__version__
    with pytest.raises(SystemExit, match="__version__"):
        release.version_of("x = 1\n")


def test_version_with_an_entry_may_go() -> None:
    log = LOG.format(unreleased="")
    assert release.problem("1.2.0", log, release=True) == ""
    assert release.entry(log, "1.2.0") == "### Added\n\n- Something."


@pytest.mark.parametrize("version", ["1.3.0", "1.1.0", "1.2"], ids=["none", "empty", "prefix"])
def test_version_without_an_entry_is_refused(version: str) -> None:
    sentence = f"no entry for version {version}"
    assert sentence in release.problem(version, LOG.format(unreleased=""), release=False)


def test_release_leaves_nothing_unreleased() -> None:
    log = LOG.format(unreleased="\n- More.\n")
    assert release.problem("1.2.0", log, release=False) == ""
    assert re.search("unreleased changes: move them", release.problem("1.2.0", log, release=True))


def test_this_version_may_be_built(capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main([]) == 0
    assert capsys.readouterr().out == f"Slipstream {engine.__version__}\n"
