"""Benchmarks that print ratios of one run.

python -m tests.bench            the engine against mlx-lm, then the window
python -m tests.bench NAME ...   one of them, with its own options (``--help``)
"""

from __future__ import annotations

import importlib
import sys

DEFAULT = ("engine", "ui")


def main(argv: list[str]) -> None:
    for name in argv[:1] or DEFAULT:
        importlib.import_module(f"tests.bench.{name}").main(argv[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
