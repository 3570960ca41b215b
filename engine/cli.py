"""The command ``slipstream``: without a word the window, otherwise one subcommand.

Exit status: 0 done, 1 a check failed, 2 the request was wrong (one line on stderr).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from engine import __version__
from engine.commands import compare, doctor, trace, train


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="slipstream",
        description="See, by looking, whether speculative decoding helps. Without a command: the window.",
    )
    top.add_argument("--version", action="version", version=f"slipstream {__version__}")
    top.add_argument("--replay", metavar="TRACE", help="open the window on a trace")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    for command in (compare, train, trace, doctor):
        command.add_parser(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    if args.command is None:
        # The window is another process image: nothing of Qt is imported by the engine's own modules.
        import importlib

        window = importlib.import_module("app.main")
        return int(window.main([*(["--replay", args.replay] if args.replay else [])]))
    try:
        return int(args.run(args))
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
