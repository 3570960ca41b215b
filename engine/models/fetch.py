"""One file from the hub to one place on this disk, to its last byte or not at all.

What arrives goes to ``NAME.part`` beside its place. The part outlives dropped connections, stalls, a stopped program
and a full disk, and the next attempt asks only for what is missing. Only when size and hash are those that the hub
states does the file get its name. huggingface_hub's own download begins a file anew in every process; for weights of
many gigabytes that is no resume, so it serves here for addresses, names and credentials only.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from msgspec import Struct

from engine.models.errors import ModelError
from engine.models.transport import http_error

HASH_CHUNK_BYTES = 8 << 20
PART = ".part"

_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)$")


class FetchError(ModelError):
    """A fetch ended before its end. One sentence; what was fetched is kept."""


class Stopped(FetchError):
    """The user stopped it."""


class Dropped(Exception):
    """What came can't be this file's beginning; it was dropped."""


class Patience(Struct, frozen=True, kw_only=True):
    """How much trouble a fetch bears."""

    timeout_s: float = 10.0
    """A connection that sends nothing for so long has stalled. A stop takes effect within it."""
    attempts: int = 6
    """In a row without one new byte."""
    pause_s: float = 1.0
    """After the first of them; each pause is twice the one before it, up to ``longest_pause_s``."""
    longest_pause_s: float = 20.0


class Remote(Struct, frozen=True, kw_only=True):
    """A file of a revision, as the hub describes it."""

    name: str
    url: str
    size_bytes: int
    sha256: str = ""
    """Of a large file."""
    git_sha1: str = ""
    """Of a small one: git's own hash of a blob."""

    @property
    def key(self) -> str:
        """Its name in the cache's ``blobs``."""
        return self.sha256 or self.git_sha1


class Watch(Protocol):
    def arrived(self, count_bytes: int) -> None:
        """So many bytes more (fewer where a part had to be dropped)."""

    def stopped(self) -> bool: ...

    def note(self, text: str) -> None: ...


def fetch(
    remote: Remote,
    place: Path,
    *,
    session: Any,
    headers: dict[str, str],
    watch: Watch,
    patience: Patience,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Raises ``FetchError``; a part that is worth keeping is kept."""
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(place.name + PART)
    with _owned(part, remote) as file:
        failed = damaged = begun_anew = 0
        while True:
            before = _length(file)
            try:
                begun_anew += _go_on(remote, file, session, headers, watch, patience)
                problem = ""
            except Stopped:
                raise
            except Dropped as error:
                begun_anew += 1
                problem = str(error)
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise FetchError(
                        f"The disk is full at {place.parent}: {remote.name} has {_length(file)} of "
                        f"{remote.size_bytes} bytes, which are kept. Make room and pull again."
                    ) from error
                problem = _reason(error)
            except http_error() as error:
                problem = _reason(error)
            if not problem and _length(file) == remote.size_bytes:
                watch.note(f"checking {remote.name}")
                if _hash_is_right(file, remote, watch):
                    break
                _drop(file, watch)
                damaged += 1
                if damaged > 1:
                    raise FetchError(
                        f"{remote.name} does not have the hash that the hub states, twice in a row: what was fetched "
                        "of it is dropped. Pull again later, or from another endpoint."
                    )
                continue
            # New bytes are progress, but not where they only make up for those that were dropped.
            failed = 0 if _length(file) > before else failed + 1
            if max(failed, begun_anew) >= patience.attempts:
                raise FetchError(
                    f"{remote.name} could not be fetched ({problem or 'the connection ended early'}): "
                    f"{_length(file)} of {remote.size_bytes} bytes are kept. Pull again to go on."
                )
            _pause(failed, patience, watch, sleep)
        os.fsync(file.fileno())
        part.replace(place)


def _go_on(
    remote: Remote, file: IO[bytes], session: Any, headers: dict[str, str], watch: Watch, patience: Patience
) -> bool:
    """Ask for what is missing and take what comes, until the connection ends. Whether it began anew."""
    start = _length(file)
    if start > remote.size_bytes:
        _drop(file, watch)
        start = 0
    if start == remote.size_bytes and start:
        return False
    anew = False
    asked = {**headers, "Accept-Encoding": "identity"}
    if start:
        asked["Range"] = f"bytes={start}-"
    if watch.stopped():
        raise Stopped("Stopped; what was fetched is kept.")
    with session.stream("GET", remote.url, headers=asked, timeout=patience.timeout_s, follow_redirects=True) as reply:
        if reply.status_code == 416:
            _drop(file, watch)
            raise Dropped(f"the file ends before the stated {remote.size_bytes} bytes")
        if reply.status_code in (401, 403, 404):
            raise FetchError(
                f"The hub refuses {remote.name} (status {reply.status_code}): check the name, and whether the model "
                "wants its licence accepted or a token."
            )
        if reply.status_code not in (200, 206):
            raise OSError(f"status {reply.status_code}")
        if start and reply.status_code == 200:
            # Ranges aren't served here: it comes from its beginning.
            _drop(file, watch)
            anew = True
        elif start and not _begins_at(reply.headers.get("Content-Range", ""), start, remote.size_bytes):
            raise OSError(f"another range than asked for: {reply.headers.get('Content-Range')!r}")
        file.seek(0, os.SEEK_END)
        # As it arrives: gathered into larger chunks, what came before a cut would be lost with it.
        for chunk in reply.iter_bytes():
            if watch.stopped():
                raise Stopped("Stopped; what was fetched is kept.")
            room = remote.size_bytes - file.tell()
            if len(chunk) > room:
                # Longer than the hub says: whatever this is, it isn't the file.
                _drop(file, watch)
                raise Dropped(f"more than the stated {remote.size_bytes} bytes came")
            file.write(chunk)
            watch.arrived(len(chunk))
        file.flush()
    return anew


def _begins_at(content_range: str, start: int, size_bytes: int) -> bool:
    match = _RANGE.match(content_range.strip())
    return match is not None and int(match[1]) == start and match[3] in ("*", str(size_bytes))


@contextmanager
def _owned(part: Path, remote: Remote) -> Iterator[IO[bytes]]:
    """The part, open and ours alone: two programs that wrote one part would mix it."""
    with part.open("ab+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FetchError(
                f"{remote.name} is being fetched by another program at this moment. Wait for it, or stop it."
            ) from error
        yield file


def _length(file: IO[bytes]) -> int:
    file.flush()
    return os.fstat(file.fileno()).st_size


def _drop(file: IO[bytes], watch: Watch) -> None:
    length = _length(file)
    file.truncate(0)
    file.seek(0)
    watch.arrived(-length)


def _hash_is_right(file: IO[bytes], remote: Remote, watch: Watch) -> bool:
    """The hub states sha256 for large files and git's sha1 for small ones; one of them is always there."""
    digest = hashlib.sha256() if remote.sha256 else hashlib.sha1(f"blob {remote.size_bytes}\0".encode())
    file.seek(0)
    while chunk := file.read(HASH_CHUNK_BYTES):
        if watch.stopped():
            raise Stopped("Stopped; what was fetched is kept.")
        digest.update(chunk)
    return digest.hexdigest() == remote.key


def _pause(failed: int, patience: Patience, watch: Watch, sleep: Callable[[float], None]) -> None:
    left = min(patience.pause_s * 2 ** max(0, failed - 1), patience.longest_pause_s) if failed else 0.0
    if left >= 1:
        watch.note(f"waiting {left:.0f} s before trying again")
    while left > 0:
        if watch.stopped():
            raise Stopped("Stopped; what was fetched is kept.")
        step = min(left, 0.2)
        sleep(step)
        left -= step


def _reason(error: BaseException) -> str:
    text = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}{': ' + text if text else ''}"
