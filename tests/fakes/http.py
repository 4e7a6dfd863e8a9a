"""A real HTTP server on loopback that follows a script: the far end for every network client under test."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    """Parsed JSON, or None."""


@dataclass(frozen=True)
class Reply:
    """What the server says: a JSON value, raw bytes, or server-sent events.

    `delay` seconds pass before the status line, `gap` seconds between events; `cut` closes the connection
    after that many events, in mid-stream, `short` that many bytes before the end of a body.
    """

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    events: Sequence[Any] | None = None
    delay: float = 0.0
    gap: float = 0.0
    cut: int | None = None
    short: int = 0


class ScriptedServer:
    """`enqueue` replies to be given in order; with an empty queue the `handler` answers, else status 500."""

    def __init__(self, handler: Callable[[Request], Reply] | None = None) -> None:
        self.requests: list[Request] = []
        self._handler = handler
        self._queue: deque[Reply] = deque()
        self._lock = threading.Lock()
        script = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body are two packets: Nagle would hold the second for a delayed acknowledgement, 40 ms.
            disable_nagle_algorithm = True

            def log_message(self, format: str, *args: Any) -> None:
                return

            def do_GET(self) -> None:
                self._serve()

            def do_POST(self) -> None:
                self._serve()

            def _serve(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                try:
                    body = json.loads(raw) if raw else None
                except ValueError:
                    body = raw
                request = Request(self.command, self.path, dict(self.headers), body)
                try:
                    self._send(script._next(request))
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def _send(self, reply: Reply) -> None:
                time.sleep(reply.delay)
                if reply.events is not None:
                    self._send_events(reply)
                    return
                payload = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload[: len(payload) - reply.short])
                self.close_connection |= reply.short > 0

            def _send_events(self, reply: Reply) -> None:
                self.send_response(reply.status)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                self.close_connection = True
                for number, event in enumerate(reply.events or ()):
                    if reply.cut is not None and number >= reply.cut:
                        return
                    text = event if isinstance(event, str) else json.dumps(event)
                    self.wfile.write(f"data: {text}\n\n".encode())
                    self.wfile.flush()
                    time.sleep(reply.gap)
                if reply.cut is None:
                    self.wfile.write(b"data: [DONE]\n\n")

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def enqueue(self, *replies: Reply) -> None:
        with self._lock:
            self._queue.extend(replies)

    def _next(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            if self._queue:
                return self._queue.popleft()
        if self._handler is not None:
            return self._handler(request)
        return Reply({"error": {"message": f"the script has no reply to {request.method} {request.path}"}}, 500)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
