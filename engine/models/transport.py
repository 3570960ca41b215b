"""huggingface_hub's HTTP, whichever library it uses: its session with the user's proxies, its headers, its error."""

from __future__ import annotations

from typing import Any

from engine.models.hub import DEFAULT_ENDPOINT


def session() -> Any:
    from huggingface_hub import utils

    return utils.get_session()  # type: ignore[attr-defined]


def headers(endpoint: str) -> dict[str, str]:
    from huggingface_hub import utils

    made: dict[str, str] = utils.build_hf_headers(token=token_for(endpoint))  # type: ignore[attr-defined]
    return made


def token_for(endpoint: str) -> bool | None:
    """The user's token is the hub's business: a mirror never sees it."""
    return None if endpoint == DEFAULT_ENDPOINT else False


def http_error() -> type[Exception]:
    from huggingface_hub import errors

    error: type[Exception] = errors.HTTPError  # type: ignore[attr-defined]
    return error
