"""A Chroma server over HTTP: one collection for each index, shared by any number of processes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from retrieval.config import StoreConfig
from retrieval.vectors.chroma import ChromaStore, collection_of

API_KEY = "CHROMA_API_KEY"


class ChromaServerStore(ChromaStore):
    """`store.url` names the server; the key in the environment, where one is set, is sent as a bearer token."""

    def __init__(self, config: StoreConfig, name: str, *, write: bool = True) -> None:
        super().__init__(Path(), name, write=write)
        self._url = config.url or ""
        self._key = os.environ.get(config.api_key_env or API_KEY)

    def reset(self) -> None:
        with self._open():
            self._client.delete_collection(self._name)
        self.close()

    def _connect(self) -> tuple[Any, Any]:
        import chromadb
        from chromadb.config import Settings

        url = urlsplit(self._url)
        secure = url.scheme == "https"
        client = chromadb.HttpClient(
            host=url.hostname or "",
            port=url.port or (443 if secure else 80),
            ssl=secure,
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            settings=Settings(anonymized_telemetry=False),
        )
        try:
            return client, collection_of(client, self._name, write=self._write)
        except BaseException:  # After Ctrl-C too the connections must not stay open.
            self._disconnect(client)
            raise

    def _disconnect(self, client: Any) -> None:
        # Chroma leaves open the connections of a client and of the second one by which it checks the tenant.
        sessions = [each._server._session for each in (client, client._admin_client)]
        client.close()
        for session in sessions:
            session.close()

    def _trouble(self, error: BaseException) -> str:
        return (
            f"The Chroma server at {self._url} cannot be used ({error}): start it, or correct store.url; "
            "if it has lost its data, run crag index rebuild."
        )
