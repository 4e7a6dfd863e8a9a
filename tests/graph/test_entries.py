"""Whether passages tell what a question asks of an option, or only speak of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.confidence import question_features
from graph.cuts import cut
from graph.engine import Engine
from graph.entries import OF_ANOTHER, asked, entries
from graph.interaction import with_interaction
from graph.listings import listed_settings
from graph.strips import relevances
from retrieval.types import Hit
from tests.fakes.graph import HashEmbedder, ScriptedGrader, deps, hit

TABLE = (
    "| Name | Type | Required | Default |\n|---|---|---|---|\n"
    "| tmp_path | string | no | /tmp/sea |\n| host | string | yes | - |"
)
FLAGS = (
    "- `--port NUMBER`: the port to listen on (default: 8642).\n"
    "- `--grace SECONDS`: how long open requests may finish. The default is 20 seconds.\n"
    "- `--config FILE`: where the configuration is read from. Required unless `--inline` is given.\n"
    "- `--tls-cert FILE`: the certificate, in PEM.\n"
)
HEADINGS = (
    "### retry_limit\n\nHow often a failed job is tried again. Defaults to 5.\n\n"
    "### store_path\n\nFolder of the journal. This option is required.\n\n"
    "### visibility_timeout\n\nSeconds for which a job is hidden from others.\n"
)
INI = (
    "[agent]\n; address of the server, required\nserver = b.example\n"
    "; bandwidth limit in MB/s\nlimit = 20\n; how many are kept, default: 14\nkeep = 30"
)
PROSE = "日志级别由 log_level 控制，缺省为 info。access_log 打开后每个请求写一行日志。"
CHINESE = "| 参数 | 类型 | 必填 | 默认值 |\n|---|---|---|---|\n| read_timeout | duration | 否 | 30s |"


@pytest.mark.parametrize(
    ("question", "passage", "told"),
    [
        ("What is the default value of the tmp_path option?", TABLE, True),
        ("Is the host option required?", TABLE, True),
        ("What is the default of krb5_path?", TABLE, False),
        ("What is the default of --port?", FLAGS, True),
        ("What is the default of --grace?", FLAGS, True),
        ("Is --config required?", FLAGS, True),
        ("What is the default of --tls-cert?", FLAGS, False),
        ("What is the default of --inline?", FLAGS, False),
        ("What is the default retry_limit?", HEADINGS, True),
        ("Is store_path mandatory?", HEADINGS, True),
        ("What is the default visibility_timeout?", HEADINGS, False),
        ("Is the server setting required?", INI, True),
        ("What is the default of the keep setting?", INI, True),
        ("What is the default of the limit setting?", INI, False),
        ("log_level 的缺省值是什么？", PROSE, True),
        ("access_log 默认是打开的吗？", PROSE, False),
        ("参数 read_timeout 的默认值是多少？", CHINESE, True),
        ("read_timeout 是必填的吗？", CHINESE, True),
        ("max_conn 默认多少？", CHINESE, False),
    ],
)
def test_it_is_told_where_option_and_aspect_stand_together(question: str, passage: str, told: bool) -> None:
    sought = asked(question)
    assert sought is not None
    assert bool(entries(sought, cut(hit(passage), 0.5).sentences())) is told


@pytest.mark.parametrize(
    "question",
    [
        "Who founded the observatory?",
        "What does the tmp_path option do?",
        "What is the default penalty for late payment?",
        "What is the minimum age?",
        "默认的付款方式是什么？",
        "Which option is the default?",
        "Is this option required?",
    ],
)
def test_other_questions_ask_for_no_entry(question: str) -> None:
    assert asked(question) is None
    (read,) = with_interaction(question, (hit(TABLE),), (0.5,), HashEmbedder())
    assert "entry" not in read.signals


def entry_of(question: str, *hits: Hit) -> list[float]:
    return [one.signals["entry"] for one in with_interaction(question, hits, [0.5] * len(hits), HashEmbedder())]


@pytest.mark.parametrize("run", ["a" * 9000, "a_" * 4500 + "a", "a." * 4500 + "a"])
def test_what_is_longer_than_any_name_is_not_read_as_one(run: str) -> None:
    found = asked(f"What is the default of {run} and of batch_size?")
    assert found is not None
    assert found.options == ("batch_size",)


def test_the_row_of_another_thing_counts_little() -> None:
    question = "What is the default value of the tmp_path option in the LocalFile sink?"
    other, own = (
        hit(TABLE, title="HdfsFile sink", source="hdfs.md"),
        hit(TABLE, title="LocalFile sink", source="local.md"),
    )
    example = hit("A job that writes files.", title="LocalFile sink", source="local.md")
    assert entry_of(question, other, own) == [OF_ANOTHER, 1.0]
    assert entry_of(question, other, example) == [OF_ANOTHER, 0.0]
    assert entry_of(question, other) == [1.0]
    assert entry_of(question, example) == [0.0]


def test_a_row_of_a_table_that_began_in_the_passage_before_has_its_header() -> None:
    header, rule, *rows = TABLE.split("\n")
    later = hit("\n".join(["| format | string | no | csv |", *rows]))
    later = replace(later, chunk=replace(later.chunk, context=f"LocalFile > Options\n{header}\n{rule}"))
    assert entry_of("What is the default of tmp_path?", later) == [1.0]


def test_the_sentence_that_tells_it_is_the_most_relevant() -> None:
    one = cut(hit(HEADINGS), 0.5)
    (scores,) = relevances("Is the store_path option required in Magpie?", [one], None)
    assert one.text(scores.index(max(scores))) == "This option is required."


def test_the_best_entry_of_a_search_is_a_feature() -> None:
    hits = with_interaction("What is the default of host?", (hit("x"),), (0.5,), HashEmbedder())
    assert "entry" not in question_features(hits)
    read = with_interaction("What is the default of tmp_path?", (hit("x"), hit(TABLE)), (0.5, 0.5), HashEmbedder())
    assert question_features(read)["entry"] == 1.0


@given(
    st.lists(st.sampled_from([TABLE, FLAGS, HEADINGS, INI, PROSE, CHINESE, "", "|", "a\n\nb"]), min_size=1, max_size=4)
)
def test_no_passage_breaks_it(passages: list[str]) -> None:
    hits = [hit(passage or "-", source=f"{i}.md") for i, passage in enumerate(passages)]
    values = entry_of("What is the default of the tmp_path option?", *hits)
    assert set(values) <= {0.0, OF_ANOTHER, 1.0}
    assert (TABLE in passages) == (max(values) > 0)


def test_lines_of_settings_are_quoted_out_of_a_fence() -> None:
    lines = "# seconds that a door may stay open\ndoor_open = 45\nstatus_port = 8092"
    text = f"gatewatch logs doors.\n\n```ini\n{lines}\n```\n"
    engine = Engine(deps([hit(text)], calibration=ScriptedGrader([0.9])))
    assert "door_open = 45" in asyncio.run(engine.ask("For how many seconds may a door stay open?")).text


SETTINGS_FILE = """gatewatch logs doors.

```ini
[doors]
# Seconds that a door may stay open.
door_open_alarm = 45

# Port of the status page.
#status_port = 8092

# Log level: error, warn, info
log_level = warn

# Events in one batch.
#batch_size = 250

# Days that raw events are kept before they are purged from the archive that the campus shares.
retention_days = 120

# Controllers that take longer than this (milliseconds) to answer three polls in a row are marked as degraded.
slow_controller_ms = 900

# Server for the names of card holders, asked once an hour for those whose card was changed since.
ldap_url = ldaps://dir.example:636
```

Reload it.
"""


@pytest.mark.parametrize(
    ("question", "setting"),
    [
        ("How long are raw events kept?", "retention_days = 120"),
        ("On which port is the status page?", "status_port = 8092"),
        ("When is a controller marked as degraded?", "slow_controller_ms = 900"),
    ],
)
def test_of_a_long_file_of_settings_the_one_that_is_asked_for_is_quoted(question: str, setting: str) -> None:
    engine = Engine(deps([hit(SETTINGS_FILE)], calibration=ScriptedGrader([0.9])))
    answer = asyncio.run(engine.ask(question)).text
    assert setting in answer
    assert "ldap_url" not in answer


def test_a_setting_that_is_commented_out_shows_its_default() -> None:
    assert entry_of("What is the default batch_size?", hit(SETTINGS_FILE)) == [1.0]
    assert entry_of("What is the default retention_days?", hit(SETTINGS_FILE)) == [0.0]


def test_code_is_no_listing_of_settings() -> None:
    assert listed_settings("```python\na = 1\nb = 2\nprint(a)\n```") == ()
    assert listed_settings("```\n# Note: one\na: 1\n```") == ()
    text = "```yaml\n# 保留天数\nkeep: 30\n#fails: 3\n"
    assert [text[start:end] for start, end in listed_settings(text)] == ["# 保留天数\nkeep: 30", "#fails: 3"]
    text = "```\n-- how long a query may take\ntimeout = 30\n--retries 3\n"
    assert listed_settings(text) == ()
    text = "```\n-- how long a query may take\ntimeout = 30\n--\nretries = 3\n"
    assert [text[start:end] for start, end in listed_settings(text)] == [
        "-- how long a query may take\ntimeout = 30",
        "--\nretries = 3",
    ]


def test_a_verb_behind_setting_is_no_option() -> None:
    assert asked("Which setting closes silent connections, and what is its default?") is None
    assert asked("Which relayd setting is it, and what is its default?") is None
    found = asked("File sink, option source in the batch mode: what is its default?")
    assert found is not None
    assert found.options == ("source",)
