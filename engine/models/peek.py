"""A model's configuration before anything else of it is fetched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.models import files
from engine.models.config import read_config_file
from engine.models.errors import ModelError
from engine.models.fetch import FetchError
from engine.models.hub import local_snapshot
from engine.models.registry import known_config
from engine.models.transport import headers, http_error, session

LONGEST_BYTES = 4 << 20


def configuration(name: str, endpoint: str = "") -> dict[str, Any]:
    """``config.json`` by what the user calls a model: ``embedded``, a directory, a known name, or a hub id.

    Of a hub id that isn't on this disk only this file is read, into memory. Raises ``ModelError``.
    """
    if name == "embedded":
        from engine.models.demo import embedded_model

        return files.read_fields(embedded_model())
    path = Path(name).expanduser()
    if path.exists() or name.startswith((".", "/", "~")):
        return read_config_file(path, "model", "an mlx-lm model directory")
    if name.count("/") != 1:
        if known := known_config(name):
            return known
        raise ModelError(f"'{name}' is no directory, no hub id and no known model. Write OWNER/NAME or a path.")
    if (local := local_snapshot(name)) is not None:
        return files.read_fields(local)
    try:
        return _remote(name, endpoint)
    except FetchError as error:
        if known := known_config(name):
            return known
        raise error from None


def _remote(repo: str, endpoint: str) -> dict[str, Any]:
    from engine.models.pull import Patience, make_plan

    patience = Patience(attempts=2)
    plan = make_plan(repo, endpoint=endpoint, patience=patience)
    remote = next(remote for remote in plan.remotes if remote.name == "config.json")
    if remote.size_bytes > LONGEST_BYTES:
        raise ModelError(f"The config.json of '{repo}' has {remote.size_bytes} bytes: it is no configuration.")
    try:
        reply = session().get(
            remote.url, headers=headers(plan.endpoint), timeout=patience.timeout_s, follow_redirects=True
        )
        reply.raise_for_status()
        fields = json.loads(reply.content)
    except (http_error(), OSError, ValueError) as error:
        raise FetchError(
            f"The config.json of '{repo}' can't be fetched ({type(error).__name__}). Check the network."
        ) from error
    if not isinstance(fields, dict):
        raise ModelError(f"The config.json of '{repo}' does not hold a JSON object.")
    return fields
