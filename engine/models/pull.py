"""Pull a model or a drafter from the hub, or a mirror of it, into the user's Hugging Face cache.

    plan = make_plan("mlx-community/Qwen3-8B-4bit")       one revision, its files with sizes and hashes
    path = pull(plan, on_progress=..., stopped=...)        everything of it, in the cache's own layout

What is there is never fetched twice, whichever program fetched it; what was begun goes on where it ended. Only
safetensors, configurations and tokenizers are taken: never code, never pickles. Weights show up in the cache's snapshot
only once all of them are whole, so that no program that reads the cache takes a part for a model.
"""

from __future__ import annotations

import fnmatch
import os
import shutil
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec import Struct

from engine.models import files, places
from engine.models.errors import ModelError
from engine.models.fetch import PART, FetchError, Patience, Remote, Stopped, fetch
from engine.models.hub import WANTED, endpoint_url
from engine.models.transport import headers, http_error, token_for
from engine.models.transport import session as http

__all__ = ["FetchError", "Patience", "Plan", "Progress", "Stopped", "make_plan", "pull", "remove_from_cache"]

DISK_MARGIN_BYTES = 256 * 1024**2
"""Left free on the disk beside what is fetched."""
SPEED_WINDOW_S = 5.0
PROGRESS_EVERY_S = 0.1


class Progress(Struct, frozen=True, kw_only=True):
    done_bytes: int
    total_bytes: int
    per_s: float | None = None
    seconds_left: float | None = None
    file: str = ""
    note: str = ""


class Plan(Struct, frozen=True, kw_only=True):
    """A revision of a repository, and what of it is on this disk."""

    repo: str
    revision: str
    """The commit, whatever was asked for: a pull is pinned to it."""
    asked: str
    """The branch or tag that was asked for."""
    endpoint: str
    licence: str
    remotes: tuple[Remote, ...]
    total_bytes: int
    there_bytes: int
    """Whole files and parts that needn't be fetched again."""

    @property
    def missing_bytes(self) -> int:
        return self.total_bytes - self.there_bytes


def repository_dir(repo: str, cache: Path | None = None) -> Path:
    return (cache or places.hub_cache()) / f"models--{repo.replace('/', '--')}"


def make_plan(
    repo: str,
    *,
    revision: str = "main",
    endpoint: str = "",
    cache: Path | None = None,
    patience: Patience | None = None,
) -> Plan:
    """Ask the hub what there is. Raises ``ModelError`` for what can't be found or must not be fetched."""
    patience = patience or Patience()
    base = endpoint_url(endpoint)
    info = _ask(repo, revision, base, patience)
    remotes = _remotes(repo, base, info)
    names = [sibling.rfilename for sibling in info.siblings or ()]
    _refuse_by_names(repo, names, remotes)
    directory = repository_dir(repo, cache)
    return Plan(
        repo=repo,
        revision=str(info.sha),
        asked=revision,
        endpoint=base,
        licence=_licence(info),
        remotes=tuple(remotes),
        total_bytes=sum(remote.size_bytes for remote in remotes),
        there_bytes=sum(_there_bytes(directory, remote) for remote in remotes),
    )


def pull(
    plan: Plan,
    *,
    cache: Path | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
    inspect: Callable[[Path], str] = lambda _: "",
    patience: Patience | None = None,
) -> Path:
    """Fetch what is missing; the snapshot's directory, whole.

    Args: inspect: is shown the snapshot once its configuration is there and before any weight: a sentence refuses it
    Raises: Stopped, FetchError (what was fetched is kept), ModelError
    """
    directory = repository_dir(plan.repo, cache)
    snapshot = directory / "snapshots" / plan.revision
    _check_room(plan, directory)
    meter = Meter(plan, on_progress, stopped)
    weights = [remote for remote in plan.remotes if remote.name.endswith(".safetensors")]
    small = [remote for remote in plan.remotes if remote not in weights]

    def bring(remote: Remote) -> None:
        meter.file = remote.name
        place = directory / "blobs" / remote.key
        if not (place.is_file() and place.stat().st_size == remote.size_bytes):
            fetch(
                remote,
                place,
                session=http(),
                headers=headers(plan.endpoint),
                watch=meter,
                patience=patience or Patience(),
            )

    try:
        for remote in small:
            bring(remote)
            _link(directory, snapshot, remote)
        if problem := files.refusal(snapshot, drafter=True) or inspect(snapshot):
            raise ModelError(problem)
        for remote in weights:
            bring(remote)
        for remote in weights:
            _link(directory, snapshot, remote)
        if problem := files.incompleteness(snapshot):
            raise ModelError(problem)
        _name_revision(directory, plan)
    except OSError as error:
        raise FetchError(
            f"{plan.repo} can't be written to {directory} ({error.strerror or error}): check the disk and its rights."
        ) from error
    meter.tell(last=True)
    return snapshot


def remove_from_cache(repo: str, cache: Path | None = None) -> int:
    """Take a repository out of the cache, parts included; the bytes that came free. Raises ``ModelError``."""
    directory = repository_dir(repo, cache)
    if not directory.is_dir():
        raise ModelError(f"{repo} is not in {directory.parent}: there is nothing to remove.")
    size = files.size_bytes(directory)
    # Out of sight first: a removal that is cut off must not leave half a model behind.
    gone = directory.with_name(f".removed-{directory.name}-{os.getpid()}")
    try:
        directory.rename(gone)
        shutil.rmtree(gone)
    except OSError as error:
        raise ModelError(f"{directory} can't be removed ({error.strerror or error}). Remove it by hand.") from error
    return size


class Meter:
    """Bytes, speed over the last seconds, time left."""

    def __init__(self, plan: Plan, on_progress: Callable[[Progress], None], stopped: Callable[[], bool]) -> None:
        self.total, self.done = plan.total_bytes, plan.there_bytes
        self.on_progress, self.stopped = on_progress, stopped
        self.file = self.text = ""
        self._marks: deque[tuple[float, int]] = deque([(time.monotonic(), self.done)])
        self._told_s = 0.0
        self.tell(last=True)

    def arrived(self, count_bytes: int) -> None:
        self.done += count_bytes
        self.text = ""
        self.tell()

    def note(self, text: str) -> None:
        self.text = text
        self.tell(last=True)

    def tell(self, last: bool = False) -> None:
        now = time.monotonic()
        if not last and now - self._told_s < PROGRESS_EVERY_S:
            return
        self._told_s = now
        self._marks.append((now, self.done))
        while len(self._marks) > 2 and now - self._marks[0][0] > SPEED_WINDOW_S:
            self._marks.popleft()
        (then, before), seconds_left, per_s = self._marks[0], None, None
        if now - then > PROGRESS_EVERY_S and self.done > before:
            per_s = (self.done - before) / (now - then)
            seconds_left = (self.total - self.done) / per_s
        self.on_progress(
            Progress(
                done_bytes=self.done, total_bytes=self.total, per_s=per_s, seconds_left=seconds_left,
                file=self.file, note=self.text,
            )
        )  # fmt: skip


def _ask(repo: str, revision: str, endpoint: str, patience: Patience) -> Any:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import (
        GatedRepoError,
        HFValidationError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    api = HfApi(endpoint=endpoint, token=token_for(endpoint))
    reason = ""
    for attempt in range(max(1, patience.attempts // 2)):
        if attempt:
            time.sleep(min(patience.pause_s * 2**attempt, patience.longest_pause_s))
        try:
            info = api.model_info(repo, revision=revision, files_metadata=True, timeout=patience.timeout_s)
            if not info.sha or info.siblings is None:
                raise ValueError("no revision in the answer")
            return info
        except HFValidationError as error:
            raise ModelError(f"'{repo}' is no hub id. Write OWNER/NAME.") from error
        except GatedRepoError as error:
            raise ModelError(
                f"'{repo}' wants its licence accepted: do so at {endpoint}/{repo}, then log in with `hf auth login`."
            ) from error
        except RevisionNotFoundError as error:
            raise ModelError(f"'{repo}' has no revision '{revision}'. Check its name.") from error
        except RepositoryNotFoundError as error:
            raise ModelError(f"There is no model '{repo}' at {endpoint}, or it is private. Check the name.") from error
        except OfflineModeIsEnabled as error:
            raise ModelError(
                "Fetching is switched off by HF_HUB_OFFLINE. Unset it, or choose a model on disk."
            ) from error
        except (http_error(), OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            # Mirrors answer with anything: a login page, an error in HTML, half a JSON.
            reason = type(error).__name__
    raise FetchError(
        f"{endpoint} does not say what '{repo}' holds ({reason}). Check the network and the endpoint, then pull again."
    )


def _remotes(repo: str, endpoint: str, info: Any) -> list[Remote]:
    from huggingface_hub import hf_hub_url

    remotes: list[Remote] = []
    for sibling in info.siblings:
        name = str(sibling.rfilename)
        if not _wanted(name):
            continue
        sha256 = sibling.lfs.sha256 if sibling.lfs else ""
        git_sha1 = "" if sha256 else (sibling.blob_id or "")
        size = sibling.lfs.size if sibling.lfs else sibling.size
        if not isinstance(size, int) or size < 0 or not _is_hex(sha256 or git_sha1):
            raise FetchError(
                f"{endpoint} states no size or no hash for {name} of '{repo}': what it sends could not be checked. "
                "Use another endpoint."
            )
        url = hf_hub_url(repo, name, revision=info.sha, endpoint=endpoint)
        remotes.append(Remote(name=name, url=url, size_bytes=size, sha256=sha256, git_sha1=git_sha1))
    return remotes


def _wanted(name: str) -> bool:
    """Files at the top only: what lies in folders is another format, or another model."""
    path = PurePosixPath(name)
    if len(path.parts) != 1 or name.startswith("."):
        return False
    return any(fnmatch.fnmatch(name, pattern) for pattern in (*WANTED, "README.md", "LICENSE*"))


def _is_hex(key: str) -> bool:
    return len(key) in (40, 64) and all(c in "0123456789abcdef" for c in key)


def _refuse_by_names(repo: str, names: list[str], remotes: list[Remote]) -> None:
    there = {remote.name for remote in remotes}
    if not any(name.endswith(".safetensors") for name in there):
        pickles = [name for name in names if name.endswith(files.PICKLES)]
        gguf = [name for name in names if name.endswith(".gguf")]
        if pickles:
            raise ModelError(
                f"'{repo}' holds its weights as pickles ({pickles[0]}), which can run code when they are read. Choose "
                "a version in safetensors."
            )
        what = f"only GGUF files ({gguf[0]})" if gguf else "no weights in safetensors"
        raise ModelError(f"'{repo}' holds {what}. Choose a version for MLX, in safetensors.")
    if "config.json" not in there:
        raise ModelError(f"'{repo}' has no config.json: it is no model of its own. Choose another one.")


def _licence(info: Any) -> str:
    card = getattr(info, "card_data", None)
    value = card.get("license") if card is not None and hasattr(card, "get") else None
    if isinstance(value, str):
        return value
    tags = getattr(info, "tags", None) or []
    return next((tag.removeprefix("license:") for tag in tags if str(tag).startswith("license:")), "")


def _there_bytes(directory: Path, remote: Remote) -> int:
    place = directory / "blobs" / remote.key
    for path in (place, place.with_name(place.name + PART)):
        try:
            size = path.stat().st_size
        except OSError:
            continue
        if size <= remote.size_bytes:
            return size
    return 0


def _check_room(plan: Plan, directory: Path) -> None:
    place = directory
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    if plan.missing_bytes and free < plan.missing_bytes + DISK_MARGIN_BYTES:
        raise ModelError(
            f"'{plan.repo}' needs {plan.missing_bytes / 1e9:.2f} GB more on the disk of {place}, where "
            f"{free / 1e9:.2f} GB are free. Make room, or set HF_HOME to a larger disk."
        )


def _link(directory: Path, snapshot: Path, remote: Remote) -> None:
    """As huggingface_hub does: a relative link to the blob."""
    snapshot.mkdir(parents=True, exist_ok=True)
    pointer = snapshot / remote.name
    blob = directory / "blobs" / remote.key
    if pointer.is_symlink() or pointer.exists():
        if pointer.resolve() == blob.resolve():
            return
        pointer.unlink()
    pointer.symlink_to(os.path.relpath(blob, snapshot))


def _name_revision(directory: Path, plan: Plan) -> None:
    if plan.asked == plan.revision or "/" in plan.asked:
        return
    reference = directory / "refs" / plan.asked
    reference.parent.mkdir(parents=True, exist_ok=True)
    reference.write_text(plan.revision, encoding="utf-8")
