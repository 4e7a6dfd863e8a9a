"""Gold is found in the ingested documents: by offset, by text, by letters and digits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chunking.errors import ConfigError
from chunking.loaders import load_bytes
from eval.corpus import Corpus, corpus_of_documents, corpus_of_suite
from eval.manifest import new_manifest
from eval.options import RunOptions
from eval.questions import Suite
from eval.suite import load_suite
from tests.fakes.systems import ScriptedSystem, answer

HTML = "<html><body><h1>Court</h1><p>The <b>Judiciary</b> Act of\n 1789 called for&nbsp;six judges.</p></body></html>"


def suite(folder: Path, documents: list[dict[str, Any]], *spans: dict[str, Any], **more: Any) -> tuple[Corpus, Any]:
    folder.mkdir(exist_ok=True)
    question = {"id": "q", "question": "How many?", "reference_spans": list(spans), **more}
    for name, values in (("documents", documents), ("questions", [question])):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(v) + "\n" for v in values), encoding="utf-8")
    loaded = load_suite(folder)
    corpus = corpus_of_suite(loaded)
    return corpus, corpus.locate(loaded.questions[0])


def found(corpus: Corpus, located: Any) -> list[list[str]]:
    texts = {document.id: document.text for document in corpus.documents}
    for group in located.evidence:
        for span in group:
            assert texts[span.document][span.start : span.end] == span.text
    return [[span.text for span in group] for group in located.evidence]


def test_offsets_count_where_they_hold(tmp_path: Path) -> None:
    documents = [{"doc_id": "d", "text": "six and six and six"}]
    corpus, located = suite(tmp_path, documents, {"doc_id": "d", "start": 8, "end": 11, "text": "six"})
    assert located.evidence[0][0].start == 8
    assert located.unlocated == ()
    assert corpus.names["d"] == located.evidence[0][0].document


def test_shifted_offsets_find_the_nearest_occurrence(tmp_path: Path) -> None:
    """A byte order mark or CRLF shifts every offset of the original."""
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "d.txt").write_bytes(b"six\r\n\r\nand six\r\n\r\nor six")
    documents = [{"doc_id": "d", "file": "d.txt"}]
    _, located = suite(tmp_path, documents, {"doc_id": "d", "start": 21, "end": 24, "text": "six"})
    assert located.evidence[0][0].start == 17


def test_html_is_matched_by_letters_and_digits(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "d.html").write_text(HTML, encoding="utf-8")
    span = {"doc_id": "d", "text": "The Judiciary Act of 1789 called for six judges ."}
    corpus, located = suite(tmp_path, [{"doc_id": "d", "file": "d.html", "text": "another rendering"}], span)
    ((text,),) = found(corpus, located)
    assert text.startswith("The Judiciary")
    assert text.endswith("six judges")


def test_groups_keep_their_alternatives_and_the_missing_are_told(tmp_path: Path) -> None:
    documents = [{"doc_id": "d", "text": "alpha beta gamma"}, {"doc_id": "e", "text": "delta"}]
    corpus, located = suite(
        tmp_path, documents, {"doc_id": "d", "text": "alpha", "group": 0}, {"doc_id": "e", "text": "delta", "group": 0},
        {"doc_id": "d", "text": "gamma", "group": 1}, {"doc_id": "d", "text": "omega", "group": 2},
        {"doc_id": "d", "text": "...", "group": 3},
    )  # fmt: skip
    assert found(corpus, located) == [["alpha", "delta"], ["gamma"]]
    assert located.unlocated == ("omega", "...")


def test_a_quote_that_is_not_in_its_document_is_refused_with_the_nearest(tmp_path: Path) -> None:
    documents = [{"doc_id": "pump.md", "text": "The pump is grey. It weighs 14.2 kg. 水泵重十四公斤。"}]
    corpus, _ = suite(tmp_path / "a", documents, {"doc_id": "pump.md", "text": "It wieghs 14.2 kg"})
    loaded = load_suite(tmp_path / "a")
    with pytest.raises(ConfigError) as caught:
        corpus.require_evidence(loaded.questions)
    assert "of question q, 'It wieghs 14.2 kg', is not in pump.md (nearest: 'It weighs 14.2 kg.'):" in str(caught.value)
    corpus, _ = suite(tmp_path / "b", documents, {"text": "omega", "group": 0}, {"text": "psi", "group": 1})
    with pytest.raises(ConfigError, match=r"'omega', is not in any document, and 1 more like it: quote"):
        corpus.require_evidence(load_suite(tmp_path / "b").questions)
    corpus, _ = suite(tmp_path / "c", documents, {"text": "omega", "group": 0}, {"text": "It weighs", "group": 0})
    corpus.require_evidence(load_suite(tmp_path / "c").questions)  # One alternative of a group is enough.


def test_answer_spans_are_the_gold_only_when_every_group_has_one(tmp_path: Path) -> None:
    documents = [{"doc_id": "d", "text": "Alpha is one. Beta is two."}]
    evidence = [
        {"doc_id": "d", "text": "Alpha is one.", "group": 0},
        {"doc_id": "d", "text": "Beta is two.", "group": 1},
    ]
    one = [{"doc_id": "d", "text": "one", "group": 0}]
    two = [*one, {"doc_id": "d", "text": "two", "group": 1}]
    _, both = suite(tmp_path / "a", documents, *evidence, answer_spans=two)
    assert [[s.text for s in group] for group in both.gold] == [["one"], ["two"]]
    assert [[s.text for s in group] for group in both.evidence] == [["Alpha is one."], ["Beta is two."]]
    _, some = suite(tmp_path / "b", documents, *evidence, answer_spans=one)
    assert some.gold == some.evidence
    _, only = suite(tmp_path / "c", documents, answer_spans=one)
    assert only.gold == only.evidence
    assert only.gold[0][0].text == "one"


def test_a_span_without_a_document_is_looked_for_everywhere(tmp_path: Path) -> None:
    documents = [{"doc_id": "d", "text": "alpha beta"}, {"doc_id": "e", "text": "beta gamma"}]
    corpus, located = suite(tmp_path, documents, {"text": "beta"})
    assert found(corpus, located) == [["beta", "beta"]]


def test_a_word_is_not_cut_and_a_sentence_is_gold_wherever_it_stands(tmp_path: Path) -> None:
    text = (
        "Backups stay 15 days. Logs stay 5 days. 日志保留5天。 The pump is serviced twice a year. And: the pump is..."
    )
    corpus, located = suite(tmp_path / "a", [{"doc_id": "d", "text": text}], {"doc_id": "d", "text": "5 days"})
    assert located.evidence[0][0].start == text.index("5 days. 日志")
    corpus, located = suite(tmp_path / "b", [{"doc_id": "d", "text": text}], {"doc_id": "d", "text": "5 DAYS"})
    assert located.evidence[0][0].start == text.index("5 days. 日志")
    corpus, located = suite(tmp_path / "c", [{"doc_id": "d", "text": text}], {"doc_id": "d", "text": "5天"})
    assert found(corpus, located) == [["5天"]]
    twice = "The pump is serviced twice a year. Therefore: The pump is serviced twice a year."
    corpus, located = suite(tmp_path / "d", [{"doc_id": "d", "text": twice}], {"doc_id": "d", "text": twice[:34]})
    assert [span.start for span in located.evidence[0]] == [0, 46]
    corpus, located = suite(
        tmp_path / "e", [{"doc_id": "d", "text": twice}], {"doc_id": "d", "text": twice[:34], "start": 46, "end": 80}
    )
    assert [span.start for span in located.evidence[0]] == [46]
    corpus, located = suite(tmp_path / "f", [{"doc_id": "d", "text": twice}], {"doc_id": "d", "text": "pump"})
    assert len(located.evidence[0]) == 1


def test_a_table_whose_hidden_keys_are_not_read_is_still_located(tmp_path: Path) -> None:
    rows = "".join(
        f'<tr><td><span style="display:none">{name}, J.</span>J. {name}</td><td>{year}</td></tr>'
        for name, year in (("Roberts", 1955), ("Alito", 1950))
    )
    table = f"<table><tr><th>Name</th><th>Born</th></tr>{rows}</table>"
    (tmp_path / "court.html").write_text(f"<html><body><h1>Court</h1><p>It has judges.</p>{table}</body></html>")
    said = "Name | Born\nRoberts, J. J. Roberts | 1955\nAlito, J. J. Alito | 1950"
    corpus, located = suite(tmp_path, [{"doc_id": "court", "file": "court.html"}], {"doc_id": "court", "text": said})
    assert located.unlocated == ()
    (text,) = found(corpus, located)[0]
    assert text.startswith("Name | Born |")
    assert text.endswith("1950 |")


def test_the_hash_is_of_the_texts_and_not_of_the_place(tmp_path: Path) -> None:
    documents = [{"doc_id": "d", "text": "alpha"}, {"doc_id": "e", "text": "beta"}]
    first, _ = suite(tmp_path / "a", documents)
    again, _ = suite(tmp_path / "b", documents[::-1])
    other, _ = suite(tmp_path / "c", [documents[0], {"doc_id": "e", "text": "gamma"}])
    assert first.hash == again.hash != other.hash


def test_what_is_ingested_is_known_by_source_file_name_and_title(tmp_path: Path) -> None:
    documents = [
        load_bytes(b"alpha", source="en/a.txt", title="Alpha"),
        load_bytes(b"beta", source="zh/a.txt", title="Beta"),
    ]
    corpus = corpus_of_documents(documents)
    assert {name: corpus.names.get(name) == documents[0].id for name in ("en/a.txt", "Alpha", documents[0].id)} == {
        "en/a.txt": True, "Alpha": True, documents[0].id: True
    }  # fmt: skip
    assert "a.txt" not in corpus.names, "the file name stands for two documents"
    system = ScriptedSystem(lambda question: answer(question, ""))
    asked = new_manifest(Suite("s", tmp_path, (), None), corpus, system, RunOptions(), asked=0, metrics=(), judge=None)
    assert asked["corpus"]["documents"] == 2, "though known by more names"
    (tmp_path / "questions.jsonl").write_text(
        '{"id": "q", "question": "?", "reference_spans": [{"doc_id": "gone.txt", "text": "x"}]}\n'
    )
    loaded = load_suite(tmp_path)
    with pytest.raises(ConfigError, match=r"gone\.txt"):
        corpus.locate(loaded.questions[0])
    with pytest.raises(ConfigError, match="holds no documents"):
        corpus_of_suite(loaded)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.md"):
        suite(tmp_path, [{"doc_id": "d", "file": "gone.md"}])


@pytest.mark.parametrize("name", ["uda_wiki_html_en", "docs_seatunnel_zh", "chroma_chunking", "drcd_zh_hant"])
def test_every_span_of_the_public_sets_is_found(datasets: Path, name: str) -> None:
    loaded = load_suite(datasets / name)
    corpus = corpus_of_suite(loaded)
    assert [q.id for q in loaded.questions if corpus.locate(q).unlocated] == []
