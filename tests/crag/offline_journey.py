"""Run by test_offline in a network namespace: ``offline_journey.py SAMPLES FOLDER``."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.crag.cli import ROOT, crag
from tests.crag.serving import serving


def main(samples: str, folder: str) -> None:
    assert [name for _, name in socket.if_nameindex()] == ["lo"], "there is a network here"
    print("no-network")
    home = Path(folder) / "home"
    assert crag("ingest", samples, home=home).code == 0
    print("ingested")
    assert "02:30" in crag("ask", "When does the nightly Ragas run start?", home=home).out
    assert "14 天" in crag("ask", "每日备份保留多少天？", home=home).out
    print("asked")
    with serving(home) as server:
        import openai

        with openai.OpenAI(base_url=f"{server.url}/v1", api_key="any") as client:
            question = [{"role": "user", "content": "每日备份保留多少天？"}]
            stream = client.chat.completions.create(model="crag", messages=question, stream=True)  # type: ignore[arg-type]
            text = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
            assert "14 天" in text
    print("chatted")
    suite = ROOT / "crag" / "samples" / "suite"
    ran = crag("eval", "run", "--suite", suite, "--pipeline", "crag", "--sample", "6", "--out", home / "r", home=home)
    assert ran.code == 0, ran.err
    print("evaluated")


if __name__ == "__main__":
    main(*sys.argv[1:])
