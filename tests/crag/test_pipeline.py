"""Pipeline files: strict, with the line of each mistake; one hash a version; `auto` decided in one place."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ConfigError, NotFoundError
from crag.auto import installed, resolve
from crag.pipeline import LADDER, Pipeline, diff_pipelines, load_pipeline
from graph.llms import LLMS
from graph.web import WEB
from retrieval.embedders import EMBEDDERS
from retrieval.rerankers import RERANKERS


def written(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", LADDER)
def test_shipped_pipelines_name_providers_that_exist(name: str) -> None:
    pipeline = resolve(load_pipeline(name)).pipeline
    assert pipeline.name == name
    assert pipeline.description
    assert pipeline.embedding.provider in EMBEDDERS
    assert pipeline.rerank.provider in {"none", *RERANKERS}
    assert pipeline.web.provider in {"none", *WEB}
    assert pipeline.generation.provider in LLMS


def test_each_rung_changes_only_what_it_is_named_for() -> None:
    rungs = [load_pipeline(name) for name in LADDER]
    changes = [set(diff_pipelines(old, new)) for old, new in itertools.pairwise(rungs)]
    assert changes == [
        {"retrieval.lexical"},
        {"rerank.provider"},
        {"grading.enabled", "rewrite.attempts", "web.provider"},
    ]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("extends: crag\nretreival:\n  top_k: 3\n", 2, "did you mean 'retrieval'?"),
        (
            "extends: crag\nretrieval:\n  rrf_k: 10\n  topk: 3\n",
            4,
            "unknown key 'retrieval.topk': did you mean 'top_k'?",
        ),
        ("retrieval:\n  top_k: 0\n", 2, "greater than or equal to 1"),
        ("retrieval:\n  top_k: many\n", 2, "valid integer"),
        ("retrieval: 3\n", 1, "must hold keys and values"),
        ("retrieval:\n  top_k: 3\n  top_k: 4\n", 3, "given twice; the first is on line 2"),
        ("grading:\n  upper: 0.2\n", 1, "lower must not exceed upper"),
        ("extends: cragg\n", 1, "did you mean 'crag'?"),
        ("extends: [a]\n", 1, "takes one pipeline name"),
        ("a: [\n", 2, "not valid YAML"),
        ("name: with spaces\n", 1, "pattern"),
        ("web:\n  include_domains:\n    - a.example\n    - 3\n", 4, "valid string"),
    ],
)
def test_a_mistake_is_told_with_file_line_and_remedy(tmp_path: Path, text: str, line: int, says: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises((ConfigError, NotFoundError)) as caught:
        load_pipeline(path)
    assert f"{path}, line {line}:" in str(caught.value)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mistake_in_the_file_below_is_told_with_that_files_name(tmp_path: Path) -> None:
    base = written(tmp_path, "rerank:\n  candidats: 5\n", "base.yaml")
    path = written(tmp_path, "extends: base.yaml\n")
    with pytest.raises(ConfigError, match=r"base\.yaml, line 2: unknown key 'rerank\.candidats'"):
        load_pipeline(path)
    assert base.exists()


def test_extends_a_file_beside_it_and_keeps_what_it_does_not_name(tmp_path: Path) -> None:
    written(
        tmp_path, "extends: crag\nname: below\ndescription: below\nretrieval:\n  top_k: 7\n  rrf_k: 11\n", "base.yaml"
    )
    pipeline = load_pipeline(written(tmp_path, "extends: base.yaml\nretrieval:\n  top_k: 3\n"))
    assert (pipeline.name, pipeline.description) == ("mine", "")
    assert (pipeline.retrieval.top_k, pipeline.retrieval.rrf_k, pipeline.retrieval.lexical) == (3, 11, True)
    assert pipeline.grading.enabled


def test_a_circle_of_extends_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "extends: b.yaml\n", "a.yaml")
    written(tmp_path, "extends: a.yaml\n", "b.yaml")
    with pytest.raises(ConfigError, match="extends itself"):
        load_pipeline(tmp_path / "a.yaml")


def test_an_empty_file_is_the_defaults(tmp_path: Path) -> None:
    assert load_pipeline(written(tmp_path, "")) == Pipeline(name="mine")


@pytest.mark.parametrize("name", ["crga", "Crag", "nothing/like/it.yaml"])
def test_an_unknown_pipeline_is_not_found(name: str) -> None:
    with pytest.raises(NotFoundError, match="There is no pipeline"):
        load_pipeline(name)


def test_the_version_is_of_what_it_does_not_of_how_it_is_written(tmp_path: Path) -> None:
    one = load_pipeline(written(tmp_path, "retrieval: {top_k: 7}\nrerank: {provider: sentence}\n", "one.yaml"))
    two = load_pipeline(
        written(
            tmp_path,
            "# a comment\ndescription: other\nrerank:\n  provider: sentence\nretrieval:\n  top_k: 7\n",
            "two.yaml",
        )
    )
    assert one.version == two.version
    assert load_pipeline("crag").version == load_pipeline("crag").version
    assert len({load_pipeline(name).version for name in LADDER}) == len(LADDER)


@given(top_k=st.integers(1, 200), rrf_k=st.integers(0, 10_000), lexical=st.booleans())
def test_versions_agree_exactly_when_the_sections_do(top_k: int, rrf_k: int, lexical: bool) -> None:
    base = Pipeline(name="p")
    changed = Pipeline.model_validate({"name": "q", "retrieval": {"top_k": top_k, "rrf_k": rrf_k, "lexical": lexical}})
    assert (
        (base.version == changed.version)
        == (base.sections() == changed.sections())
        == (not diff_pipelines(base, changed))
    )


def test_auto_takes_the_embedded_providers_where_nothing_is_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    found = resolve(load_pipeline("crag"))
    assert found.models == {"embedding": "local", "rerank": "sentence", "generation": "extractive", "web": "none"}
    assert "auto" not in str(found.pipeline.sections())
    assert all(pick.reason for pick in found.picks)


def test_auto_takes_what_the_keys_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = resolve(load_pipeline("crag")).pipeline.version
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("CRAG_CHAT_MODEL", "a-model")
    monkeypatch.setenv("TAVILY_API_KEY", "k")
    found = resolve(load_pipeline("crag"))
    assert found.models["generation"] == "openai:a-model"
    assert found.models["web"] == "tavily"
    assert found.pipeline.generation.base_url == "http://127.0.0.1:9/v1"
    assert found.pipeline.version != plain
    assert resolve(load_pipeline("vector")).models["web"] == "none"


def test_an_endpoint_without_a_model_name_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with pytest.raises(ConfigError, match=r"OPENAI_API_KEY is set\) but no chat model: set CRAG_CHAT_MODEL"):
        resolve(load_pipeline("crag"))


def test_auto_takes_the_reranker_on_disk_and_never_downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not installed("FlagEmbedding"):
        pytest.skip("the extra 'bge' is not installed")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    assert resolve(load_pipeline("crag")).pipeline.rerank.provider == "sentence"
    snapshot = tmp_path / "hub" / "models--BAAI--bge-reranker-v2-m3" / "snapshots" / "1"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    rerank = resolve(load_pipeline("crag")).pipeline.rerank
    assert (rerank.provider, rerank.model) == ("bge", "BAAI/bge-reranker-v2-m3")


def test_no_secret_enters_a_resolved_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("CRAG_CHAT_MODEL", "m")
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-very-secret")
    assert "very-secret" not in str(resolve(load_pipeline("crag")).pipeline.to_dict())
