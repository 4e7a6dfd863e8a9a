"""The scripted server speaks the protocol that the real clients read."""

from __future__ import annotations

import openai

from tests.fakes.http import ScriptedServer
from tests.fakes.openai import chat, chat_stream


def test_real_openai_client_reads_the_scripted_server() -> None:
    with ScriptedServer() as server, openai.OpenAI(base_url=f"{server.url}/v1", api_key="k") as client:
        server.enqueue(chat("hello"), chat_stream(["a", "b"]))
        message = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
        assert message.choices[0].message.content == "hello"
        stream = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "hi"}], stream=True, stream_options={"include_usage": True}
        )
        assert "".join(c.choices[0].delta.content or "" for c in stream if c.choices) == "ab"
        assert [r.path for r in server.requests] == ["/v1/chat/completions"] * 2
