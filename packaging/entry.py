"""What the bundle's executable runs: the window without words, otherwise ``slipstream`` with these words.

The window, the engine, a lab, a training run and the self-test are all this one file, started with other words
(``engine/process/launch.py``): inside a bundle there is no interpreter to call.
"""

from __future__ import annotations

import multiprocessing
import os
import sys


def with_streams() -> None:
    """A program that was started from the Finder may have no streams; whatever prints must not fail for it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - for life


def main() -> int:
    # First of all: a helper of the standard library starts this executable too, with words of its own.
    multiprocessing.freeze_support()
    with_streams()
    from engine import cli

    return cli.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
