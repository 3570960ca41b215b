"""The real engine process on a tiny target: ``python -m tests.engine.lab.tiny_engine``."""

from __future__ import annotations

import functools
import os
import sys

from engine import session
from tests.tiny import tiny_target


def main() -> int:
    target = tiny_target("dense", seed=5, context_tokens=400)
    target.tokenizer.eos_token_ids = ()  # type: ignore[assignment]
    session.Models = functools.partial(session.Models, load=lambda name: target)  # type: ignore[misc,assignment]
    from engine.process import worker

    return worker.main()


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)
