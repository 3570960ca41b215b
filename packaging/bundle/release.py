"""What is shipped has a number, and a word about what is new in it. The number stands in ``engine/__init__.py`` alone.

    python packaging/bundle/release.py [--release]

Refuses where the changelog doesn't tell of the version; for a release also where something is still unreleased.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def version_of(source: str) -> str:
    found = re.search(r'^__version__ = "([^"]+)"$', source, re.MULTILINE)
    if found is None:
        raise SystemExit('engine/__init__.py has no line __version__ = "...": the version stands there alone.')
    return found[1]


def entry(changelog: str, title: str) -> str | None:
    """What stands under ``## [title]``; ``None`` where there is no such heading."""
    found = re.search(rf"^## \[{re.escape(title)}\][^\n]*\n(.*?)(?=^## \[|\Z)", changelog, re.MULTILINE | re.DOTALL)
    return None if found is None else found[1].strip()


def problem(version: str, changelog: str, release: bool) -> str:
    """Why this can't be given away; empty where it can."""
    if not entry(changelog, version):
        return f"CHANGELOG.md has no entry for version {version}: write what is new under '## [{version}]'."
    if release and entry(changelog, "Unreleased"):
        return (
            f"CHANGELOG.md has unreleased changes: move them under '## [{version}]', "
            "or give them a version of their own in engine/__init__.py."
        )
    return ""


def main(words: list[str]) -> int:
    version = version_of((ROOT / "engine" / "__init__.py").read_text(encoding="utf-8"))
    found = problem(version, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), "--release" in words)
    print(found or f"Slipstream {version}", file=sys.stderr if found else sys.stdout)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
