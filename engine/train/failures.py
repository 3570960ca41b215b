"""What ends a training run from outside, said in one sentence each: memory, the disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NO_MEMORY = ("allocat", "out of memory", "outofmemory", "insufficient memory")
"""Parts of what MLX says then: on a CPU, on Metal, of a buffer that is larger than any may be."""
NO_ROOM = ("[write]", "failed to open file", "unable to write")
"""Parts of what MLX says where a file can't be written."""


class TrainError(Exception):
    """A run can't go on. Its text is meant for the user."""


@contextmanager
def explained(when: str, directory: Path) -> Iterator[None]:
    """Memory or disk space that runs out inside becomes a ``TrainError``.

    Args: when: "in step 3". directory: where is written.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        words = str(error).lower()
        if isinstance(error, MemoryError) or any(part in words for part in NO_MEMORY):
            raise TrainError(
                f"Memory ran out {when}; the last checkpoint stays. Close other programs and give the same command "
                "again, or begin anew with fewer --conversations or --anchors and another --out."
            ) from error
        if any(part in words for part in NO_ROOM):
            raise TrainError(unwritable(directory, "is the disk full?")) from error
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise TrainError(unwritable(Path(error.filename) if error.filename else directory, reason)) from error


def unwritable(path: Path, reason: str) -> str:
    return f"{path} can't be written ({reason}): make room and give the same command again; the last checkpoint stays."
