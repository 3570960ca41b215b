"""A hub on loopback: the answers that huggingface_hub asks for, and every way in which a network lets one down.

    with HubServer({"maker/model": {"config.json": b"...", ...}}) as hub:
        hub.faults = lambda request: Fault("drop", after=100)
        ... hub.url ...

A fault is decided for each request by a function, so that a test can seed it.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Literal, Self
from urllib.parse import unquote, urlsplit

LARGE_BYTES = 1000
"""From so many bytes on a file is stated by sha256, as LFS files are; below by git's sha1."""

Kind = Literal[
    "none", "drop", "stall", "longer", "shorter", "corrupt", "no-range", "wrong-range", "error", "busy", "garbage"
]
BODY_FAULTS: tuple[Kind, ...] = (
    "drop", "stall", "longer", "shorter", "corrupt", "no-range", "wrong-range", "error", "busy",
)  # fmt: skip


@dataclass(frozen=True)
class Fault:
    kind: Kind = "none"
    after: int = 0
    """Bytes of the body that still go well."""
    stall_s: float = 0.4


@dataclass(frozen=True)
class Asked:
    """A request, as a fault decides about it."""

    path: str
    start: int
    is_file: bool


@dataclass
class HubServer:
    repos: Mapping[str, Mapping[str, bytes]]
    faults: Callable[[Asked], Fault] = lambda asked: Fault()
    lies: dict[str, int] = field(default_factory=dict)
    """By file name: how many bytes more the hub states than there are."""
    gated: frozenset[str] = frozenset()
    licence: str = "apache-2.0"
    sent_bytes: int = 0
    """Of files, over all requests."""
    requests: list[Asked] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                hub.answer(self)

            def do_HEAD(self) -> None:
                hub.answer(self)

            def log_message(self, *args: object) -> None:
                pass

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def revision(self, repo: str) -> str:
        digest = hashlib.sha1()
        for name, content in sorted(self.repos[repo].items()):
            digest.update(name.encode() + content)
        return digest.hexdigest()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path = unquote(urlsplit(request.path).path)
        self.tokens.append(request.headers.get("Authorization", ""))
        if match := re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/revision/(.+))?", path):
            self._info(request, match[1], match[2] or "main")
        elif match := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._file(request, match[1], match[3])
        else:
            self._reply(request, 404, b"nothing here")

    def _info(self, request: BaseHTTPRequestHandler, repo: str, revision: str) -> None:
        asked = Asked(request.path, 0, False)
        self.requests.append(asked)
        fault = self.faults(asked)
        if fault.kind in ("error", "busy"):
            return self._reply(request, 503, b"")
        if fault.kind == "garbage":
            return self._reply(request, 200, b"<html>please log in</html>")
        if repo not in self.repos:
            return self._reply(request, 404, b"", {"X-Error-Code": "RepoNotFound"})
        if repo in self.gated:
            return self._reply(request, 403, b"", {"X-Error-Code": "GatedRepo"})
        if revision not in ("main", self.revision(repo)):
            return self._reply(request, 404, b"", {"X-Error-Code": "RevisionNotFound"})
        siblings = []
        for name, content in self.repos[repo].items():
            size = len(content) + self.lies.get(name, 0)
            entry: dict[str, object] = {"rfilename": name, "size": size, "blobId": git_sha1(content)}
            if len(content) >= LARGE_BYTES:
                entry["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": size, "pointerSize": 130}
            siblings.append(entry)
        info = {
            "id": repo, "sha": self.revision(repo), "siblings": siblings, "tags": [f"license:{self.licence}"],
            "cardData": {"license": self.licence},
        }  # fmt: skip
        return self._reply(request, 200, json.dumps(info).encode(), {"Content-Type": "application/json"})

    def _file(self, request: BaseHTTPRequestHandler, repo: str, name: str) -> None:
        content = self.repos.get(repo, {}).get(name)
        match = re.fullmatch(r"bytes=(\d+)-", request.headers.get("Range", ""))
        start = int(match[1]) if match else 0
        asked = Asked(request.path, start, True)
        self.requests.append(asked)
        fault = self.faults(asked)
        if content is None:
            return self._reply(request, 404, b"", {"X-Error-Code": "EntryNotFound"})
        if fault.kind == "error":
            return self._reply(request, 500, b"")
        if fault.kind == "busy":
            return self._reply(request, 429, b"")
        if match and start >= len(content):
            return self._reply(request, 416, b"")
        status = 206 if match and fault.kind != "no-range" else 200
        body = content[start:] if status == 206 else content
        headers = {}
        if status == 206:
            first = start + 7 if fault.kind == "wrong-range" else start
            headers["Content-Range"] = f"bytes {first}-{len(content) - 1}/{len(content)}"
        if fault.kind == "corrupt":
            place = min(fault.after, len(body) - 1)
            body = body[:place] + bytes([body[place] ^ 0xFF]) + body[place + 1 :]
        if fault.kind == "longer":
            body += b"more than there is"
        stated = len(body)
        if fault.kind == "shorter":
            body = body[: max(0, len(body) - 1 - fault.after)]
            stated = len(body)
        cut = fault.after if fault.kind in ("drop", "stall") else len(body)
        self.sent_bytes += len(body[:cut])
        self._head(request, status, {**headers, "Content-Length": str(stated)})
        request.wfile.write(body[:cut])
        request.wfile.flush()
        if fault.kind == "stall":
            time.sleep(fault.stall_s)
        if cut < len(body):
            request.close_connection = True
            request.connection.close()
        return None

    @staticmethod
    def _head(request: BaseHTTPRequestHandler, status: int, headers: Mapping[str, str]) -> None:
        request.send_response(status)
        for key, value in headers.items():
            request.send_header(key, value)
        request.end_headers()

    def _reply(
        self, request: BaseHTTPRequestHandler, status: int, body: bytes, headers: Mapping[str, str] | None = None
    ) -> None:
        self._head(request, status, {**(headers or {}), "Content-Length": str(len(body))})
        if request.command != "HEAD":
            request.wfile.write(body)


class Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hung up is no error of the server's."""


def git_sha1(content: bytes) -> str:
    return hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
