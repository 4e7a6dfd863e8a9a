"""The report: one offline page, everything escaped, every panel filled; Markdown for a pull request."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from eval.compare import Comparison, compare_runs
from eval.gate_file import Gates
from eval.gates import check_gates
from eval.report import render_html, render_junit, render_markdown
from eval.report.figures import ladder, manifest_difference, node_medians
from eval.sweep import Sweep, sweep
from eval.verdicts import figures
from tests.fakes.runs import CORRECTNESS, F1, Case, realistic, write_run

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
SECTIONS = ("worse-1", "forest-1", "ladder", "dots-1", "heat-1", "crag", "trade", "manifest")
ATTACK = "<script>alert(1)</script><img src=x onerror=alert(2)>&\"'"


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    folder = tmp_path_factory.mktemp("runs")
    base = realistic(folder / "crag", "crag", skill=0.8)
    others = [realistic(folder / name, name, skill=skill) for name, skill in (("vector", 0.5), ("hybrid", 0.6))]
    apart = replace(others[1], manifest={**others[1].manifest, "concurrency": 1})
    return compare_runs(base, [others[0], apart])


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    folder = tmp_path_factory.mktemp("sweep")
    skills = {5: 0.4, 10: 0.7, 20: 0.75}
    return sweep(
        {"retrieval.top_k": list(skills)},
        lambda o: realistic(
            folder / str(o["retrieval.top_k"]), f"k{o['retrieval.top_k']}", skill=skills[o["retrieval.top_k"]]
        ),
    )


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.ids: list[str] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in {"meta", "link", "img", "br", "input"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_is_whole_and_self_contained(comparison: Comparison) -> None:
    page = Page(render_html(comparison))
    assert page.open == []
    assert set(SECTIONS) <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    for tag, attributes in page.tags:
        assert tag not in {"link", "iframe", "object", "embed", "base", "form"}
        assert "src" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
    assert {href for tag, a in page.tags if tag == "a" and (href := a.get("href"))} <= {f"#{i}" for i in page.ids}
    assert "http" not in re.sub(r"http://127\.0\.0\.1/v1", "", render_html(comparison))


def test_the_verdict_stands_first(comparison: Comparison) -> None:
    words = " ".join("".join(Page(render_html(comparison)).text).split())
    start = words.index("Suite samples")
    assert words.index("WORSE vector −", start) - start < 120
    assert words.index("WORSE vector is worse than crag on correctness, and f1", start) - start < 560
    assert figures(comparison.candidates[0].primary, alpha=0.05) in words
    assert words.index("What got worse with vector") < words.index("All metrics: vector against crag")


def test_every_text_is_escaped(tmp_path: Path) -> None:
    hostile: dict[str, Any] = {"question": ATTACK, "reference": ATTACK, "text": ATTACK, "type": ATTACK, "lang": ATTACK}
    base = [Case(f"q{n}", {"correctness": 1.0}, **hostile) for n in range(8)]
    new = [Case(f"q{n}", {"correctness": 0.0}, reason=ATTACK, **hostile) for n in range(7)]
    new.append(Case("q7", {"correctness": "judge_error"}, reason=ATTACK, **hostile))
    runs = [
        write_run(tmp_path / name, cases, name=f"{name} {ATTACK}", metrics=(CORRECTNESS,))
        for name, cases in (("a", base), ("b", new))
    ]
    found = compare_runs(runs[0], [runs[1]])
    html, markdown = render_html(found), render_markdown(found)
    tags = [tag for tag, _ in Page(html).tags]
    assert "img" not in tags
    assert tags.count("script") == 1
    assert ATTACK in "".join(Page(html).text)
    assert "<script" not in markdown
    assert "<img" not in markdown


def test_what_no_file_can_hold_is_replaced_everywhere(tmp_path: Path) -> None:
    odd = "a\x00b\x1bc\ud800d\ufffee"
    cases = [Case(f"q{n}", {"correctness": 1.0}, question=odd, reference=odd, text=odd, type=odd) for n in range(8)]
    worse = [replace(case, scores={"correctness": 0.0}) for case in cases]
    base = write_run(tmp_path / "a", cases, name="x\x07", metrics=(CORRECTNESS,))
    new = write_run(tmp_path / "b", worse, name="y\x1b", metrics=(CORRECTNESS,))
    checked = check_gates(Gates.model_validate({"relative": [{"metric": "correctness"}]}), new, base)
    found = compare_runs(base, [new])
    pages = [render_html(found, gates=[checked]), render_markdown(found, gates=[checked]), render_junit(checked)]
    for page in pages:
        page.encode()
        assert not set(page) & set("\x00\x07\x1b\ufffe")
    ElementTree.fromstring(pages[2].encode())


def test_a_question_puts_no_picture_or_link_into_a_pull_request(tmp_path: Path) -> None:
    baited = "Is it ![so](https://track.example/x.png) or [so](https://lure.example)?"
    cases = [Case(f"q{n}", {"correctness": 1.0}, question=baited) for n in range(8)]
    worse = [replace(case, scores={"correctness": 0.0}) for case in cases]
    base = write_run(tmp_path / "a", cases, metrics=(CORRECTNESS,))
    markdown = render_markdown(compare_runs(base, [write_run(tmp_path / "b", worse, name="b", metrics=(CORRECTNESS,))]))
    assert "track.example" in markdown
    assert re.search(r"(?<!\\)\[", markdown) is None


def test_a_pipeline_that_does_not_grade_says_so(tmp_path: Path) -> None:
    cases = [Case(f"q{n}", {"correctness": 1.0}) for n in range(8)]
    worse = [replace(case, scores={"correctness": 0.0}, confidence=0.31) for case in cases]
    base = write_run(tmp_path / "a", cases, metrics=(CORRECTNESS,))
    new = write_run(tmp_path / "b", worse, name="new", metrics=(CORRECTNESS,))
    for key, each in new.answers.items():
        new.answers[key] = replace(each, answer={**(each.answer or {}), "models": {"grading": "off"}})  # type: ignore[index]
    page = render_html(compare_runs(base, [new]))
    text = "".join(Page(page).text)
    assert page.count('class="routes"') == 1
    assert text.count("not graded") == 1 + 8
    assert "0.31" not in text
    assert text.count("confidence in the evidence") == 8, "those of the pipeline that grades"
    charts = page[page.index("<h3>Calibration</h3>") : page.index('id="trade"')]
    assert "base" in charts
    assert "new" not in charts


def test_both_answers_contexts_and_reasons_are_there(comparison: Comparison) -> None:
    html = render_html(comparison)
    worst = next(change for change in comparison.candidates[0].regressions if change.stage == "retrieval")
    text = "".join(Page(html).text)
    for part in (worst.why, worst.base.record.text, worst.candidate.record.text, worst.base.record.contexts[0].text):  # type: ignore[union-attr]
        assert part in text
    assert "needed passage" in text
    assert "states nothing that the reference asks for" in text


def test_mismatch_is_stamped(tmp_path: Path) -> None:
    cases = [Case(f"q{n}", {"correctness": 1.0}) for n in range(8)]
    base = write_run(tmp_path / "a", cases, metrics=(CORRECTNESS,))
    new = write_run(tmp_path / "b", cases, name="new", metrics=(CORRECTNESS,), embedder="another")
    found = compare_runs(base, [new], allow_mismatch=True)
    assert 'class="stamp"' in render_html(found)
    assert "not strictly comparable" in render_markdown(found)
    assert 'class="stamp"' not in render_html(compare_runs(base, [base]))


def test_a_run_with_nothing_in_it_still_makes_a_page(tmp_path: Path) -> None:
    """No score, no gold, no answer: every panel has to say so instead of failing."""
    broken = {"type": "ProviderError", "message": "no route to host"}
    cases = [Case(f"q{n}", {"correctness": "pipeline_error"}, error=broken, gold=False) for n in range(3)]
    good = [Case(f"q{n}", {"correctness": 1.0}, gold=False) for n in range(3)]
    base = write_run(tmp_path / "a", good, metrics=(CORRECTNESS,))
    new = write_run(tmp_path / "b", cases, name="new", metrics=(CORRECTNESS,))
    page = Page(render_html(compare_runs(base, [new])))
    assert "no route to host" in "".join(page.text)
    assert "INCONCLUSIVE" in "".join(page.text)
    assert "Why: no question has a score in both runs" in "".join(page.text), "what is open says why at once"


def test_sweep_and_gates_have_their_own_panels(comparison: Comparison, swept: Sweep) -> None:
    gates = check_gates(
        Gates.model_validate({"relative": [{"metric": "correctness"}], "limits": {"error_rate": 0.0}}),
        comparison.candidates[0].run,
        comparison.base,
    )
    page = Page(render_html(comparison, gates=[gates], sweep=swept))
    text = "".join(page.text)
    assert {"gates", "sweep"} <= set(page.ids)
    assert "Exit code 1" in text
    assert swept.sentence in text
    assert "retrieval.top_k=20" in text
    markdown = render_markdown(comparison, gates=[gates])
    assert "❌ correctness not worse than crag: difference" in markdown


def test_a_sweep_with_nothing_to_choose_tags_nothing_and_speaks_of_no_loss(tmp_path: Path) -> None:
    found = sweep(
        {"retrieval.top_k": [5, 10]}, lambda o: realistic(tmp_path / str(o["retrieval.top_k"]), "k", skill=0.6)
    )
    page = render_html(found.comparison, sweep=found)
    top = page[page.index("<header>") : page.index("<nav")]
    assert "Nothing to choose" in top
    assert "got worse" not in top
    assert ">chosen<" not in page
    assert f"<title>{found.sentence}</title>" in page


def test_each_candidate_has_its_own_gates(comparison: Comparison) -> None:
    gates = Gates.model_validate({"limits": {"error_rate": 0.0}})
    several = replace(comparison, candidates=comparison.candidates[:1] * 2)
    checked = [check_gates(gates, each.run, comparison.base) for each in several.candidates]
    heading = f"Gates of {comparison.candidates[0].label}"
    assert "".join(Page(render_html(several, gates=checked)).text).count(heading) == 2
    assert render_markdown(several, gates=checked).count(f"### {heading}") == 2


def test_ladder_marks_the_best_of_each_column(comparison: Comparison) -> None:
    table = ladder(comparison)
    assert [row.label for row in table.rows] == ["crag", "vector", "hybrid"]
    assert table.columns[0].name == "correctness"
    assert [row.cells[0].best for row in table.rows] == [True, False, False]
    brier = [column.name for column in table.columns].index("brier")
    values = [row.cells[brier].value for row in table.rows]
    assert [row.cells[brier].best for row in table.rows] == [value == min(v for v in values if v) for value in values]


def test_importing_the_report_loads_nothing_heavy_and_names_the_extra(tmp_path: Path) -> None:
    runs = []
    for name, step in (("a", 8), ("b", 9)):
        cases = [Case(f"q{n}", {"correctness": n / step}) for n in range(8)]
        runs.append(str(write_run(tmp_path / name, cases, name=name, metrics=(CORRECTNESS,)).path))
    script = f"""
import sys
from eval.compare import compare_runs
from eval.report import render_html
from eval.runs import read_run
heavy = {{"scipy", "jinja2", "markupsafe"}} & set(sys.modules)
assert not heavy, heavy
found = compare_runs(read_run({runs[0]!r}), [read_run({runs[1]!r})])
for name in ("jinja2", "scipy", "scipy.stats"):
    sys.modules[name] = None
for call in (lambda: render_html(found), lambda: compare_runs(read_run({runs[0]!r}), [read_run({runs[1]!r})])):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)
"""
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    lines = shown.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "MissingExtraError The HTML report needs the extra 'eval'",
        "MissingExtraError Comparing runs needs the extra 'eval'",
    ]


def test_latency_by_step(comparison: Comparison) -> None:
    steps = dict(node_medians(comparison))
    assert list(steps) == ["retrieve", "generate", "total"]
    for retrieve, generate, total in zip(*steps.values(), strict=True):
        assert retrieve == pytest.approx(0.4 * (total or 0))
        assert generate == pytest.approx(0.5 * (total or 0))


def test_steps_stand_in_the_order_they_run_though_the_first_answer_had_few(tmp_path: Path) -> None:
    """Of a question that was refused after a second search, say."""
    run = write_run(tmp_path, [Case("a", {"f1": 1.0}), Case("b", {"f1": 1.0})], metrics=(F1,))
    timings = ({"retrieve": 1.0, "generate": 2.0, "total": 3.0}, {"retrieve": 1.0, "grade": 4.0, "abstain": 1.0})
    answers = {
        key: replace(record, answer={**(record.answer or {}), "timings": times})
        for (key, record), times in zip(run.answers.items(), timings, strict=True)
    }
    told = node_medians(compare_runs(replace(run, answers=answers), [run]))
    assert [node for node, _ in told] == ["retrieve", "grade", "abstain", "generate", "total"]


def test_manifest_difference_names_only_what_differs(comparison: Comparison) -> None:
    base, new = comparison.base, comparison.candidates[0].run
    fields = {field: (ours, theirs) for field, ours, theirs in manifest_difference(base, new)}
    assert fields["pipeline.name"] == ("crag", "vector")
    assert fields["pipeline.resolved.retrieval.lexical"] == ("true", "false")
    longer = replace(base, manifest={**base.manifest, "index": {"mean_tokens": 46.53846153846154}})
    assert manifest_difference(base, longer) == [("index.mean_tokens", "–", "46.5385")]
    assert "started" not in fields
    assert "suite.hash" not in fields
    assert manifest_difference(base, replace(base, manifest={**base.manifest, "started": "later"})) == []


def test_markdown_is_a_summary_a_reviewer_can_read(comparison: Comparison) -> None:
    text = render_markdown(comparison)
    assert text.startswith("## RAG comparison\n\n🔴 **WORSE** vector is worse than crag on correctness, and f1")
    assert "| metric | crag | vector |" in text
    assert text.index("regressed on correctness") < text.index("Means of every run")
    assert max(len(line) for line in text.splitlines() if line.startswith("|")) < 120
    assert text.count("<details>") == text.count("</details>") == 3
    assert len(text) < 20_000


@pytest.fixture(scope="module")
def reported(comparison: Comparison, swept: Sweep) -> str:
    return render_html(comparison, sweep=swept)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A sweep of settings whose names are longer than a chart."""
    folder, numbers = tmp_path_factory.mktemp("wide"), iter(range(100))
    grid = {"retrieval.section_share": [0.2, 0.25, 0.5, 0.75], "chunking.overlap_sentences_around_a_cut": [1, 2]}
    found = sweep(grid, lambda _: realistic(folder / str(n := next(numbers)), f"k{n}", skill=0.4 + 0.02 * n, rounds=3))
    return render_html(found.comparison, sweep=found)


@pytest.mark.parametrize("width", [1280, 400])
def test_a_wide_sweep_can_be_seen_whole(browser: Any, tmp_path: Path, wide: str, width: int) -> None:
    file = tmp_path / "sweep.html"
    file.write_text(wide, encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": 900}, offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    table = page.locator("table.sweep")
    holder = table.locator("xpath=..")
    if width == 1280:
        assert table.bounding_box()["width"] <= holder.bounding_box()["width"]
    assert holder.evaluate("e => getComputedStyle(e).overflowX") == "auto"
    ticks = page.locator("svg.chart").first.locator("text.tick").all()
    boxes = sorted((b for b in (tick.bounding_box() for tick in ticks)), key=lambda b: (round(b["y"]), b["x"]))
    for left, right in pairwise(boxes):
        assert round(left["y"]) != round(right["y"]) or left["x"] + left["width"] <= right["x"]
    context.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: the report is not opened in a browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_it_reads_in_a_browser_without_network(
    browser: Any, tmp_path: Path, reported: str, width: int, scheme: str
) -> None:
    file = tmp_path / "report.html"
    file.write_text(reported, encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    verdict = page.locator(".verdict h2").first
    assert verdict.inner_text().startswith("vector is worse than crag on correctness, and f1 and ")
    assert verdict.bounding_box()["y"] < 200
    assert all(box["height"] > 100 for box in (chart.bounding_box() for chart in page.locator("svg.chart").all()))
    button = page.locator("[data-open-all]").first
    button.click()
    assert button.inner_text() == "Close all"
    assert page.locator("details:not([open])").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert problems == []
    context.close()
