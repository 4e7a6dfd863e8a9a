"""Suites load strictly, errors name file and line, and tables of other tools are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chunking.errors import ConfigError, NotFoundError
from eval.options import RunOptions
from eval.questions import SuiteQuestion
from eval.sampling import stratified
from eval.suite import load_suite


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return folder


def lines(*values: Any) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


DOCUMENT = {"doc_id": "d", "title": "D", "text": "Alpha beta.", "source": "s", "lang": "en"}
QUESTION = {"id": "q1", "question": "What follows alpha?", "reference": "beta"}
SECOND = {**QUESTION, "id": "q2"}
SPAN = {"doc_id": "d", "start": 6, "end": 10, "text": "beta", "group": 0}


def test_the_public_sets_load_and_keep_what_they_say_beside(datasets: Path) -> None:
    suite = load_suite(datasets / "cmrc2018_zh")
    assert (suite.name, len(suite.questions), suite.language) == ("cmrc2018_zh", 200, "zh")
    assert suite.documents is not None
    assert len(suite.documents) == 200
    assert suite.questions[0].extra["split"] == "dev"


def test_blank_lines_and_a_byte_order_mark_are_no_error(tmp_path: Path) -> None:
    folder = write(tmp_path, questions_jsonl="\ufeff" + lines(QUESTION) + "\n\n", documents_jsonl=lines(DOCUMENT))
    assert [q.id for q in load_suite(folder).questions] == ["q1"]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"id": "q1"}, r"questions.jsonl:2: question: field required"),
        ({**QUESTION, "answerble": False}, r":2: unknown key 'answerble': did you mean 'answerable'\?$"),
        ({**QUESTION, "answerable": "yes"}, r":2: answerable"),
        ({**QUESTION, "question": ""}, r":2: question"),
        ({**SECOND, "reference_spans": [{**SPAN, "doc_id": "x"}]}, r":2: a span names the document 'x'"),
        ({**SECOND, "reference_spans": [{**SPAN, "start": 5, "end": 9}]}, r"d\[5:9\] reads ' bet', not 'beta'"),
        ({**QUESTION, "reference_spans": [{**SPAN, "end": 11}]}, r":2: reference_spans.0: start 6 and end 11"),
        ({**QUESTION, "reference_spans": [{"doc_id": "d", "text": "beta", "start": 6}]}, "both start and end"),
        ({**QUESTION, "history": [{"role": "robot", "content": "x"}]}, r":2: history.0.role"),
        (QUESTION, r":2: the question id 'q1' is used before, in line 1"),
        (["a"], r":2: expected an object"),
        (
            {**SECOND, "reference_spans": ["beta"]},
            r":2: reference_spans.0: expected an object with keys \(doc_id, text",
        ),
    ],
)
def test_a_bad_question_is_named_by_file_and_line(tmp_path: Path, question: Any, message: str) -> None:
    folder = write(tmp_path, questions_jsonl=lines(QUESTION, question), documents_jsonl=lines(DOCUMENT))
    with pytest.raises(ConfigError, match=message):
        load_suite(folder)


def test_bad_json_documents_and_encodings_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"questions.jsonl:1: not JSON"):
        load_suite(write(tmp_path / "a", questions_jsonl="{'id': 1}\n"))
    with pytest.raises(ConfigError, match=r"documents.jsonl:1: a document needs its text or a file"):
        load_suite(write(tmp_path / "b", questions_jsonl=lines(QUESTION), documents_jsonl=lines({"doc_id": "d"})))
    folder = write(tmp_path / "c", questions_jsonl="")
    with pytest.raises(ConfigError, match="holds no question"):
        load_suite(folder)
    (folder / "questions.jsonl").write_bytes("é".encode("latin-1"))
    with pytest.raises(ConfigError, match="UTF-8"):
        load_suite(folder)
    with pytest.raises(NotFoundError, match="no suite"):
        load_suite(tmp_path / "missing")
    with pytest.raises(NotFoundError, match="not a suite"):
        load_suite(write(tmp_path / "empty"))


YAML = """\
name: temples
documents: docs
questions:
  - question: 关帝庙在哪里？
    reference: 香港
    reference_spans:
      - {doc_id: zh/temple.md, text: 香港}
  - id: second
    question: Who knows?
    answerable: false
"""


def test_a_spreadsheet_saved_in_china_is_read(tmp_path: Path) -> None:
    rows = "question,reference\r\n每日备份保留多少天？,保留三十天。\r\n备份由谁负责检查？,由值班工程师负责检查。\r\n"
    (tmp_path / "suite.csv").write_bytes(rows.encode("gb18030"))
    suite = load_suite(tmp_path / "suite.csv")
    assert [(q.question, q.reference) for q in suite.questions] == [
        ("每日备份保留多少天？", "保留三十天。"),
        ("备份由谁负责检查？", "由值班工程师负责检查。"),
    ]


def test_tables_of_other_tools_are_read(tmp_path: Path) -> None:
    """Arrays as NumPy prints them, other separators, long cells, several right answers of which none is the first."""
    long = "x" * 200_000
    suite = load_suite(
        write(tmp_path, a_csv=f"user_input;contexts;ground_truths\nWhy?;\"['a' 'b'\n 'c']\";['one', 'two']\n{long};;\n")
        / "a.csv"
    )
    first, second = suite.questions
    assert first.retrieved_contexts == ("a", "b", "c")
    assert (first.reference, first.answers) == ("one", ("two",))
    assert second.question == long


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.jsonl",
            '{"question": "Why?", "id": "a", "id": "b"}',
            r"a.jsonl:1: not JSON \(the key 'id' is there twice\)",
        ),
        ("a.jsonl", "[" * 100_000, r"a.jsonl:1: its brackets are nested too deep"),
        ("a.csv", "frage,antwort\nWarum?,a\n", r"a.csv:1: there is no column 'question' among 'frage', 'antwort'"),
        (
            "a.csv",
            "question,answers\nWhy?,\"['a', 'b\"\n",
            r"a.csv:2: answers: the list .* cannot be read: write it as",
        ),
        ("a.csv", "question,reference,reference\nWhy?,a,b\n", r"a.csv:1: the column 'reference' is there twice"),
        (
            "a.yaml",
            "questions:\n- question: Why?\nquestions:\n- question: How?\n",
            r"a.yaml:3: the key 'questions' is there",
        ),
        ("a.yaml", "questions:\n- question: Why?\n  question: How?\n", r"a.yaml:3: the key 'question' is there twice"),
    ],
)
def test_what_would_be_lost_without_a_word_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        load_suite(tmp_path / name)


def test_a_yaml_file_with_a_folder_of_documents(tmp_path: Path) -> None:
    write(tmp_path, suite_yaml=YAML)
    write(tmp_path / "docs")
    write(tmp_path / "docs" / "zh", temple_md="# 庙\n\n在香港。\n", notes_bin="x", logo_png="x")
    suite = load_suite(tmp_path / "suite.yaml")
    assert suite.name == "temples"
    assert suite.documents is not None
    assert [d.doc_id for d in suite.documents] == ["zh/temple.md"]
    assert [(q.id, q.lang, q.answerable) for q in suite.questions] == [("q001", "zh", True), ("second", "en", False)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("documents: docs", "document: docs", r"suite.yaml:2: unknown key 'document'"),
        ("documents: docs", "documents: missing", r"suite.yaml:2: .*missing does not exist"),
        ("documents: docs", "documents: [docs]", r"suite.yaml:2: documents names"),
        ("    answerable: false", "    answerable: maybe", r"suite.yaml:8: answerable"),
        ("zh/temple.md", "zh/tempel.md", r"suite.yaml:4: a span names the document 'zh/tempel.md'"),
        ("  - id: second", "  - id: [", r"suite.yaml:\d+: not YAML .*in quotes"),
        ("questions:", "questions: none.jsonl\nquestion:", r"suite.yaml:\d+: "),
    ],
)
def test_a_bad_yaml_suite_is_named_by_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    write(tmp_path, suite_yaml=YAML.replace(old, new, 1))
    write(tmp_path / "docs")
    write(tmp_path / "docs" / "zh", temple_md="# 庙\n\n在香港。\n")
    with pytest.raises(ConfigError, match=message):
        load_suite(tmp_path / "suite.yaml")


def test_yaml_may_point_at_questions_in_a_table(tmp_path: Path) -> None:
    write(tmp_path, suite_yaml="questions: q.csv\n", q_csv="question,ground_truth\nWhat?,That\n")
    suite = load_suite(tmp_path)
    assert suite.documents is None
    assert (suite.questions[0].question, suite.questions[0].reference) == ("What?", "That")


def test_ragas_columns_in_jsonl(tmp_path: Path) -> None:
    row = {
        "user_input": "Where is it?", "reference": "Hong Kong", "response": "In Hong Kong.",
        "retrieved_contexts": ["c1", "c2"], "reference_contexts": ["r1", "r2"], "synthesizer_name": "multi_hop",
    }  # fmt: skip
    old = {
        "question": "Wo?",
        "ground_truth": "hier",
        "answer": "da",
        "contexts": ["c"],
        "ground_truths": ["hier", "da"],
    }
    (new, older) = load_suite(write(tmp_path, q_jsonl=lines(row, old)) / "q.jsonl").questions
    assert (new.id, new.question, new.reference, new.response, new.type) == (
        "q001", "Where is it?", "Hong Kong", "In Hong Kong.", "multi_hop"
    )  # fmt: skip
    assert new.retrieved_contexts == ("c1", "c2")
    assert [(s.doc_id, s.text, s.group) for s in new.reference_spans] == [(None, "r1", 0), (None, "r2", 1)]
    assert (older.reference, older.response, older.answers) == ("hier", "da", ("hier", "da"))


def test_a_ragas_conversation_becomes_a_question_with_history(tmp_path: Path) -> None:
    messages = [
        {"content": "Tell me of RRF.", "type": "human"},
        {"content": "It fuses rankings.", "type": "ai"},
        {"content": "Which k?", "type": "human"},
    ]
    (question,) = load_suite(write(tmp_path, q_jsonl=lines({"user_input": messages})) / "q.jsonl").questions
    assert question.question == "Which k?"
    assert [(t.role, t.content) for t in question.history] == [
        ("user", "Tell me of RRF."), ("assistant", "It fuses rankings.")
    ]  # fmt: skip


CSV = """\
id,user_input,reference,retrieved_contexts,answerable,history
a,"Two
lines?",yes,"[""c1"", ""c2""]",TRUE,
b,Three?,no,"['it''s', 'd']",false,"[{""role"": ""user"", ""content"": ""Hi""}]"
c,Four?,,plain text,,
"""


def test_csv_cells_hold_json_python_or_plain_text(tmp_path: Path) -> None:
    found = load_suite(write(tmp_path, q_csv=CSV) / "q.csv").questions
    assert [q.question for q in found] == ["Two\nlines?", "Three?", "Four?"]
    assert [q.answerable for q in found] == [True, False, True]
    assert found[0].retrieved_contexts == ("c1", "c2")
    assert found[2].retrieved_contexts == ("plain text",)
    assert found[1].history[0].content == "Hi"


@pytest.mark.parametrize(
    ("row", "message"), [("a,b,c,d\n", r"q.csv:2: more cells"), ("x,maybe\n", r"q.csv:2: answerable is true or false")]
)
def test_bad_csv_is_named_by_line(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_suite(write(tmp_path, q_csv="question,answerable\n" + row) / "q.csv")


def test_the_hash_follows_what_questions_say_and_not_what_was_answered(tmp_path: Path) -> None:
    def digest(name: str, **changes: Any) -> str:
        return load_suite(write(tmp_path / name, questions_jsonl=lines({**QUESTION, **changes}))).hash

    assert digest("a") == digest("b") == digest("c", response="x", retrieved_contexts=["y"])
    assert len({digest("a"), digest("d", reference="gamma"), digest("e", answerable=False)}) == 3


def question(number: int, kind: str) -> SuiteQuestion:
    return SuiteQuestion(id=f"q{number}", question="?", type=kind, lang="en")


def test_a_sample_keeps_proportions_order_and_itself() -> None:
    questions = [question(n, "fact" if n % 4 else "summary") for n in range(40)] + [question(99, "rare")]
    chosen = stratified(questions, 10, "type", 0)
    kinds = [q.type for q in chosen]
    assert (kinds.count("fact"), kinds.count("summary"), kinds.count("rare")) == (7, 2, 1)
    assert [q.id for q in chosen] == [q.id for q in questions if q in chosen]
    assert stratified(questions, 10, "type", 0) == chosen
    assert stratified(questions, 10, "type", 1) != chosen
    assert set(chosen[:5]) <= set(stratified(questions, 30, "type", 0))
    assert stratified(questions, 500, "type", 0) == questions
    assert len(stratified(questions, 2, "type", 0)) == 2
    assert len(stratified(questions, 7, None, 0)) == 7


def test_numbers_out_of_bounds_are_refused() -> None:
    with pytest.raises(ConfigError, match="--stratify"):
        stratified([question(1, "a")], 1, "colour", 0)
    with pytest.raises(ConfigError, match="--sample"):
        stratified([question(n, "a") for n in range(3)], 0, "type", 0)
    for bad in ({"repeat": 0}, {"concurrency": 0}, {"max_cost": -1.0}, {"rescore": True}):
        with pytest.raises(ConfigError):
            RunOptions(**bad)


@pytest.mark.parametrize("text", ["name: 2024-99-99\n", "name: !!bool maybe\n", "[" * 20_000, "name: \0\n"])
def test_yaml_that_its_library_chokes_on_is_one_sentence(tmp_path: Path, text: str) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"suite\.yaml.*(cannot be read|not YAML)") as caught:
        load_suite(suite)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("loop", [False, True], ids=["bomb", "loop"])
def test_aliases_that_stand_for_too_much_are_refused(tmp_path: Path, loop: bool) -> None:
    lists = [f"&x{n} [{', '.join([f'*x{n - 1}'] * 10)}]" if n else "&x0 [1]" for n in range(9)]
    extra = "&x [*x]" if loop else "[" + ", ".join(lists) + "]"
    suite = tmp_path / "suite.yaml"
    suite.write_text(f"questions:\n  - {{id: q1, question: 'Why?', more: {extra}}}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="aliases stand for more"):
        load_suite(suite)


def test_headings_of_spreadsheets_are_read(tmp_path: Path) -> None:
    folder = write(
        tmp_path, a_csv="Question , Reference\nWhy?,So.\n", b_csv="问题,参考答案,类型\n为什么？,所以。,事实\n"
    )
    found = [load_suite(folder / name).questions[0] for name in ("a.csv", "b.csv")]
    assert [(q.question, q.reference) for q in found] == [("Why?", "So."), ("为什么？", "所以。")]
    assert found[1].type == "事实"


def test_two_files_of_questions_are_not_chosen_from(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"holds both questions\.jsonl and questions\.csv: name the one"):
        load_suite(write(tmp_path, questions_jsonl=lines(QUESTION), questions_csv="question\nWhy?\n"))


def test_what_a_writer_may_have_meant_otherwise_is_remarked(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        a_csv="question,answer,lang\n年假有多少天？,十天,en\nWhat is BM25?,A ranking,zh\nBM25 是什么？,打分,zh\n",
        b_csv="question,reference,answer,lang\nWas ist 年假?,Urlaub,frei,de\nWhat does 年假 mean?,leave,free,en\n",
    )
    first, second = load_suite(folder / "a.csv").remarks
    assert first.startswith("No question has a reference: what stands under answer")
    assert second.startswith("Scored as en though not written so: q001, q002; leave lang out")
    assert load_suite(folder / "b.csv").remarks == ()


def test_keys_that_mean_nothing_are_kept_and_named(tmp_path: Path) -> None:
    suite = tmp_path / "suite.csv"
    suite.write_text("id,question,colour,split\nq1,Why?,red,core\n", encoding="utf-8")
    found = load_suite(suite)
    assert found.unused_keys == ("colour",)
    assert found.remarks == ("The questions of suite have keys that no evaluation uses: colour.",)
    assert found.questions[0].extra == {"colour": "red", "split": "core"}
