"""Pipeline files: strict, with the line of each mistake; one hash a version; `auto` decided in one place."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ConfigError, NotFoundError
from crag.auto import installed, resolve
from crag.pipeline import LADDER, SHIPPED, Pipeline, diff_pipelines, load_pipeline, vary
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
        {"grading.enabled", "rewrite.attempts", "rewrite.hops", "web.provider"},
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
        ("grading:\n  upper: 0.2\n  lower: 0.3\n", 1, "lower must not exceed upper"),
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


BOMB = "a: &a0 [x]\n" + "".join(f"k{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10))


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (BOMB, 5, "more than 10000 values"),
        ("a: &a [*a]\n", 1, "an alias hold itself"),
        ("a: &a\n  b: *a\n", 1, "an alias hold itself"),
        ("a:\n  " + "[" * 20_000, 2, "nested deeper than 20 levels"),
        ("a: " + "{a: " * 20_000, 1, "nested deeper than 20 levels"),
        ("extends: crag\nname: a\0b\n", 2, "control character"),
        ("extends: crag\nname: 2024-99-99\n", 2, "'2024-99-99' is no valid timestamp"),
        ("description: !!timestamp soon\n", 1, "'soon' is no valid timestamp"),
        ("description: !!bool maybe\n", 1, "'maybe' is no valid bool"),
        ("description: !!int many\n", 1, "'many' is no valid int"),
        ("retrieval:\n  top_k: " + "9" * 5000 + "\n", 2, "a number of 5000 characters is too long"),
        ("retrieval:\n  top_k: " + "1:" * 50_000 + "1\n", 2, "too long"),
        ("description: !!python/object:os.system x\n", 1, "not valid YAML"),
        ("on: 3\n", 1, "a key must be plain text"),
        ("? [a, b]\n: 3\n", 1, "a key must be plain text"),
        ("description: " + "x" * 200_000 + "\n", 1, "at most 300 characters"),
        ("x" * 500 + ": 3\n", 1, "unknown key 'xxx"),
        ("a: !" + "x" * 500 + " b\n", 1, "not valid YAML"),
        ("extends: " + "x" * 100_000 + ".yaml\n", 1, "cannot be read"),
        ("extends: " + "x" * 100_000 + "\n", 1, "There is no pipeline"),
        ('description: "\\ud800"\n', 1, "unicode"),
    ],
)
def test_no_text_can_hang_the_reader_or_flood_the_terminal(tmp_path: Path, text: str, line: int, says: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises((ConfigError, NotFoundError)) as caught:
        load_pipeline(path)
    told = str(caught.value)
    assert f"{path}, line {line}:" in told
    assert says in told
    assert len(told.replace(str(tmp_path), "")) < 350
    assert "\n" not in told
    told.encode()


def test_a_file_of_megabytes_is_not_even_parsed(tmp_path: Path) -> None:
    path = written(tmp_path, "description: " + "x" * 3_000_000)
    with pytest.raises(ConfigError, match=r"mine\.yaml is larger than 256 KiB"):
        load_pipeline(path)


@given(st.text(alphabet="a:&*!-?[]{}'\"|>%@ \n\t0.9#,<\0\x85é", max_size=60))
def test_whatever_a_file_holds_the_answer_is_a_pipeline_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = written(tmp_path_factory.getbasetemp(), text, "any.yaml")
    told = "any.yaml"
    try:
        load_pipeline(path)
    except (ConfigError, NotFoundError) as error:
        told = str(error)
    assert "any.yaml" in told


def test_aliases_and_merges_stay_of_use(tmp_path: Path) -> None:
    text = "web: &web\n  include_domains: &list [a.example]\n  exclude_domains: *list\n"
    assert load_pipeline(written(tmp_path, text)).web.exclude_domains == ("a.example",)


def test_a_long_chain_of_files_is_refused(tmp_path: Path) -> None:
    for number in range(40):
        written(tmp_path, f"extends: p{number + 1}.yaml\n", f"p{number}.yaml")
    with pytest.raises(ConfigError, match="shorten the chain"):
        load_pipeline(tmp_path / "p0.yaml")


@pytest.mark.parametrize(
    ("section", "key", "value", "says"),
    [
        ("rerank", "provider", "bgee", "did you mean 'bge'?"),
        ("rerank", "provider", "cohere", "known are none, auto, sentence, bge, http."),
        ("chunking", "strategy", "hybird", "did you mean 'hybrid'?"),
        ("chunking", "strategy", "auto", "known are"),
        ("embedding", "provider", "opnai", "did you mean 'openai'?"),
        ("generation", "provider", "none", "known are auto, extractive, openai."),
        ("web", "provider", "tavly", "did you mean 'tavily'?"),
        ("embedding", "base_url", "not a url", "'not a url' is no address of an endpoint"),
        ("generation", "base_url", "ftp://h/v1", "is no address of an endpoint"),
        ("generation", "base_url", "http://", "is no address of an endpoint"),
        ("generation", "base_url", "http://[bad", "is no address of an endpoint"),
        ("generation", "base_url", "http://h:99999/v1", "is no address of an endpoint"),
        ("web", "base_url", "127.0.0.1:8000", "is no address of an endpoint"),
        ("web", "base_url", "", "is no address of an endpoint"),
    ],
)
def test_what_could_only_fail_later_is_refused_at_once(
    tmp_path: Path, section: str, key: str, value: str, says: str
) -> None:
    path = written(tmp_path, f"extends: crag\n{section}:\n  {key}: '{value}'\n")
    with pytest.raises(ConfigError) as caught:
        load_pipeline(path)
    assert str(caught.value).startswith(f"{path}, line 3: {section}.{key}: ")
    assert says in str(caught.value)
    with pytest.raises(ConfigError, match="--vary"):
        vary(load_pipeline("crag"), {f"{section}.{key}": value})


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/v1", "https://api.example/v1", "http://[::1]:9/", "http://a_b"])
def test_addresses_of_endpoints_are_taken(tmp_path: Path, url: str) -> None:
    path = written(tmp_path, f"generation:\n  base_url: '{url}'\n")
    assert load_pipeline(path).generation.base_url == url


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [("mine.yaml", "extends: crag\nname: crag\n", ", line 2"), ("vector.yaml", "extends: crag\n", "")],
)
def test_a_file_of_ones_own_cannot_take_a_shipped_name(tmp_path: Path, name: str, text: str, where: str) -> None:
    path = written(tmp_path, text, name)
    with pytest.raises(ConfigError) as caught:
        load_pipeline(path)
    assert str(caught.value).startswith(f"{path}{where}: ")
    assert "is the name of a shipped pipeline" in str(caught.value)


def test_a_shipped_file_can_be_given_by_its_path() -> None:
    assert load_pipeline(SHIPPED / "crag.yaml") == load_pipeline("crag")
