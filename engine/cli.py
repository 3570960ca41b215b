"""The command ``slipstream``: without a word the window, otherwise one subcommand.

Exit status: 0 done, 1 a check failed, 2 the request was wrong (one line on stderr).
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from engine import __version__
from engine.commands import compare, doctor, lab, models, trace, train


class Parser(argparse.ArgumentParser):
    """A wrong request is one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; {self.prog} --help shows how it is called.\n")


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="slipstream",
        description="See, by looking, whether speculative decoding helps. Without a command: the window.",
    )
    top.add_argument("--version", action="version", version=f"slipstream {__version__}")
    top.add_argument("--replay", metavar="TRACE", help="open the window on a trace")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    engine = commands.add_parser("engine", help="the engine process: JSON lines on stdin and stdout")
    engine.set_defaults(run=lambda _: importlib.import_module("engine.process.worker").run())
    for command in (compare, lab, train, models, trace, doctor):
        command.add_parser(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    if args.command is None:
        # The window is another process image: nothing of Qt is imported by the engine's own modules.
        window = importlib.import_module("app.main")
        return int(window.main([*(["--replay", args.replay] if args.replay else [])]))
    try:
        status = int(args.run(args))
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # Whoever read has read enough; what is left in the buffer goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
