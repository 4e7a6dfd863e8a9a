"""Which model judges, and what its tokens cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.errors import ConfigError
from eval.judge_config import judge_config
from eval.prices import load_prices


def test_the_environment_names_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judge_config() is None
    monkeypatch.setenv("CRAG_JUDGE_MODEL", "gpt-4o-mini")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        judge_config()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    found = judge_config()
    assert found is not None
    assert (found.model, found.base_url) == ("gpt-4o-mini", "https://api.openai.com/v1")
    assert "sk-secret" not in found.model_dump_json()


def test_options_win_over_the_file_and_the_file_over_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CRAG_JUDGE_MODEL", "from-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    file = tmp_path / "judge.yaml"
    file.write_text("model: from-file\nmax_tokens: 512\n")
    found = judge_config({"model": "from-option", "mode": None}, file)
    assert found is not None
    assert (found.model, found.max_tokens, found.base_url) == ("from-option", 512, "http://127.0.0.1:1/v1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("timout: 9\nmodel: y", r"judge\.yaml, timout: unknown key 'timout': did you mean 'timeout'\?$"),
        ("model: x\ntemperature: 9", r"judge\.yaml, temperature: input should be less than or equal to 2\.$"),
        ("- 1", "keys and values"),
        ("a: [", "not YAML"),
    ],
)
def test_a_bad_judge_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "judge.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message):
        judge_config({"base_url": "http://127.0.0.1:1/v1"}, file)


@pytest.mark.parametrize("url", ["nonsense", "127.0.0.1:8000/v1", "ftp://127.0.0.1/v1", "http://", "http://[::1"])
def test_an_address_that_is_none_is_refused_before_anything_is_asked(url: str) -> None:
    """It was asked for every score, and the judge called unreachable."""
    with pytest.raises(ConfigError, match=r"The judge, base_url: .* give one like 'http://"):
        judge_config({"model": "m", "base_url": url})


def test_the_bundled_prices_and_their_rules(tmp_path: Path) -> None:
    prices = load_prices()
    assert prices.cost("gpt-4o-mini-2024-07-18", 1_000_000, 1_000_000) == pytest.approx(0.75)
    assert prices.cost("openai:gpt-4o", 1_000_000, 0) == pytest.approx(2.5)
    assert prices.cost("qwen2.5:7b", 10, 0) is None
    assert prices.cost(None, 0, 0) == 0.0
    table = tmp_path / "prices.yaml"
    table.write_text("'*': {input: 0, output: 0}\nqwen2.5:7b: {input: 1, output: 2}\n")
    assert load_prices(table).cost("anything", 5, 5) == 0.0
    assert load_prices(table).cost("qwen2.5:7b", 1_000_000, 0) == 1.0
    table.write_text("x: {input: -1, output: 0}\n")
    with pytest.raises(ConfigError, match=r"x\.input"):
        load_prices(table)
    table.write_text("x: {input: 1, outptu: 0}\n")
    with pytest.raises(ConfigError, match=r"x\.outptu: unknown key 'outptu': did you mean 'output'\?$"):
        load_prices(table)
