"""Asking the server that owns a workspace, over loopback, with nothing but the standard library: it has to be quick."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunking.errors import ConfigError, CragError, DocumentError, NotFoundError, ProviderError, StoreError
from crag.settings import API_KEY, api_key

NOTE = "server.json"
"""In the workspace while a server runs: ``{"host", "port", "pid"}``."""
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
_ERRORS: dict[str, type[CragError]] = {
    kind.kind: kind for kind in (ConfigError, NotFoundError, DocumentError, StoreError)
}


@dataclass(frozen=True)
class Server:
    """A running server of this workspace. Every method raises an error of the tree, as the work itself would."""

    host: str
    port: int
    pid: int

    @property
    def url(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def ask(
        self, question: str, pipeline: str, *, trace: bool = False, filters: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """The answer in the shape of `Answer.to_dict`."""
        message = {"role": "user", "content": question}
        body = {"model": pipeline, "messages": [message], "crag": {"trace": trace, "filters": filters}}
        answer = self._call("POST", "/v1/chat/completions", body)["crag"]
        assert isinstance(answer, dict)
        del answer["answer_id"]
        return answer

    def search(
        self, question: str, pipeline: str, *, top_k: int | None = None, filters: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """The hits in the shape of ``crag search --json``."""
        body = {"question": question, "pipeline": pipeline, "top_k": top_k, "filters": filters}
        return self._call("POST", "/v1/search", body)

    def pipelines(self) -> dict[str, str]:
        """Version by name of the pipelines that it serves."""
        return {model["id"]: model["crag"]["version"] for model in self._call("GET", "/v1/models")["data"]}

    def alive(self) -> bool:
        try:
            return self._request("GET", "/healthz", None, timeout=2)[0] == 200
        except OSError:
            return False

    def _call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        try:
            status, reply = self._request(method, path, body, timeout=600)
        except OSError as error:
            message = f"The server at {self.url} (pid {self.pid}) broke off: look at its terminal, then ask again."
            raise StoreError(message) from error
        if status == 200 and isinstance(reply, dict):
            return reply
        if status == 401:
            raise ConfigError(
                f"The server at {self.url} asks for its key: set {API_KEY} to it here too (crag keys add makes one)."
            )
        told = reply.get("error", {}) if isinstance(reply, dict) else {}
        message = told.get("message") or f"The server at {self.url} answered with status {status}."
        if told.get("code") == "model_not_found":
            raise NotFoundError(f"{message} Restart it with --pipeline FILE to serve another one.")
        if kind := _ERRORS.get(told.get("type", "")):
            raise kind(message)
        raise ProviderError(message, provider="crag serve")

    def _request(self, method: str, path: str, body: Any, timeout: float) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        headers = {"Content-Type": "application/json"}
        if key := api_key():
            headers["Authorization"] = f"Bearer {key}"
        try:
            connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
            response = connection.getresponse()
            raw = response.read()
        except http.client.HTTPException as error:
            raise ConnectionError(str(error)) from error
        finally:
            connection.close()
        try:
            return response.status, json.loads(raw)
        except ValueError:
            return response.status, None


def running_server(home: Path) -> Server | None:
    """The server that owns the workspace `home`, or None. A note left by a server that died is ignored."""
    try:
        note = json.loads((home / NOTE).read_text())
        server = Server(_ANYWHERE.get(note["host"], note["host"]), int(note["port"]), int(note["pid"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return server if server.alive() else None
