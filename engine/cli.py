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
from engine.process import launch
from engine.trace.file import SUFFIX


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
    top.add_argument("--selftest", action="store_true", help="check that everything is there and works; as `doctor`")
    top.add_argument("--json", action="store_true", help="with --selftest: print one JSON object")
    top.add_argument(launch.PAINT, action="store_true", help=argparse.SUPPRESS)
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    engine = commands.add_parser("engine", help="the engine process: JSON lines on stdin and stdout")
    engine.set_defaults(run=lambda _: importlib.import_module("engine.process.worker").run())
    for command in (compare, lab, train, models, trace, doctor):
        command.add_parser(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if argv is None else list(argv)
    if len(words) == 1 and words[0].endswith(SUFFIX) and not words[0].startswith("-"):
        # What a file manager calls where a trace is double-clicked.
        words.insert(0, "--replay")
    args = parser().parse_args(words)
    if args.command is None:
        if args.selftest:
            return doctor.run(args)
        if args.json:
            parser().error("--json belongs to --selftest or to a command")
        if args.paint:
            return int(importlib.import_module("app.selftest").main())
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
