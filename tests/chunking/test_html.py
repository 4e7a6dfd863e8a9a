"""HTML: the main content without what frames it, lists and tables as they are read, and nesting without end."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from chunking.loaders import load_bytes
from chunking.loaders.html_nesting import bounded
from tests.chunking.blocks import covered, kinds

_CHINESE = "检索增强生成把检索到的段落交给语言模型，让它只根据资料回答。如果资料不够，就说不知道。"


def test_html_main_content() -> None:
    html = """<!DOCTYPE html><html><head><title>Page | Site</title><style>p{}</style></head><body>
    <nav><a href=/>Home</a></nav><header>Site name</header>
    <main><header><h1>Page</h1></header><p>First <b>bold</b> text<br>next line.</p>
    <h2>Part</h2><ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul><ol><li>a<li>b</ol>
    <table><tr><th>k</th><th>v</th></tr><tr><td>x</td><td>1</td></tr></table>
    <pre>code  here
    # more</pre><div>loose <span>text</span></div><script>bad()</script></main><footer>© 2026</footer></body></html>"""
    document = load_bytes(html.encode(), source="a.html")
    assert document.title == "Page"
    assert kinds(document) == [
        ("heading", "Page"),
        ("paragraph", "First bold text\nnext line."),
        ("heading", "Part"),
        ("list", "- one\n  - inner\n- two"),
        ("list", "1. a\n2. b"),
        ("table", "| k | v |\n| --- | --- |\n| x | 1 |"),
        ("code", "code  here\n    # more"),
        ("paragraph", "loose text"),
    ]
    assert document.blocks[-1].heading_path == ("Page", "Part")
    assert covered(document)


def test_html_navigation_without_semantic_elements_is_left_out() -> None:
    links = "".join(f"<li><a href='/{n}'>Part {n}</a></li>" for n in range(8))
    html = (
        "<html><body><div id='cookie-banner'>We use cookies. <a href='#'>Accept</a></div>"
        f"<div class='left'><ul>{links}</ul></div><div class='page-breadcrumb'><a href='/'>Home</a> &gt; Pump</div>"
        "<div><h1>Pump</h1><p>The pump is serviced every six months, and its seals are checked every three.</p>"
        "<ul><li><a href='/a'>Seals</a> keep the water in.</li></ul></div>"
        "<div class='related'><h3>Related</h3><a href='/v'>Valve</a></div></body></html>"
    )
    assert kinds(load_bytes(html.encode(), source="a.html")) == [
        ("heading", "Pump"),
        ("paragraph", "The pump is serviced every six months, and its seals are checked every three."),
        ("list", "- Seals keep the water in."),
    ]
    index = f"<html><body><h1>All parts</h1><ul>{links}</ul></body></html>"
    assert "- Part 7" in load_bytes(index.encode(), source="a.html").text


def test_html_cells_over_several_rows_are_said_in_each() -> None:
    html = (
        "<table><tr><th>Part</th><th>Season</th><th>Interval</th></tr><tr><td rowspan=2>Seal|ring</td><td>summer</td>"
        "<td>3 months? Yes.</td></tr><tr><td>winter</td><td>6 months</td></tr>"
        "<tr><td colspan=2>Filter</td><td>1</td></tr></table>"
    )
    assert kinds(load_bytes(f"<html><body>{html}</body></html>".encode(), source="a.html")) == [
        (
            "table",
            "| Part | Season | Interval |\n| --- | --- | --- |\n| Seal\\|ring | summer | 3 months? Yes. |\n"
            "| Seal\\|ring | winter | 6 months |\n| Filter |  | 1 |",
        )
    ]


def test_html_in_a_declared_encoding() -> None:
    html = f'<html><head><meta charset="gb2312"></head><body><p>{_CHINESE}</p></body></html>'
    document = load_bytes(html.encode("gb2312"), source="https://example.org/page?id=1", media_type="text/html")
    assert document.text == _CHINESE
    assert "gb2312" in document.notes[0]
    assert document.title == "page"


@pytest.mark.parametrize("charset", ["undefined", "punycode", "idna", "unicode_escape", "rot13", "x-none"])
def test_html_that_declares_no_encoding_of_text_is_read_as_utf_8(charset: str) -> None:
    html = f'<html><head><meta charset="{charset}"></head><body><p>{_CHINESE}</p></body></html>'
    assert load_bytes(html.encode(), source="a.html").text == _CHINESE


def test_html_is_read_in_what_browsers_take_a_declared_encoding_for() -> None:
    page = '<html><head><meta charset="{}"></head><body><p>{}</p></body></html>'
    signs = "It costs €100 and you don’t pay “tax” – ever."
    assert load_bytes(page.format("iso-8859-1", signs).encode("cp1252"), source="a.html").text == signs
    assert load_bytes(page.format("iso-8859-1", _CHINESE).encode(), source="a.html").text == _CHINESE
    assert load_bytes(page.format("gb2312", "朱镕基，深圳").encode("gb18030"), source="a.html").text == "朱镕基，深圳"
    for length in (7, 8):
        assert load_bytes(page.format("utf-16", "x" * length).encode(), source="a.html").text == "x" * length


def test_html_spans_of_thousands_of_digits_are_bounded() -> None:
    html = f"<table><tr><td rowspan={'9' * 5000}>a</td><td>b</td></tr><tr><td>c</td></tr></table>"
    assert load_bytes(f"<html><body>{html}".encode(), source="a.html").text == "| a | b |\n| a | c |"


def test_html_spans_that_would_fill_the_memory_are_not_written_out() -> None:
    row = f"<tr><td rowspan=100 colspan=100>{'x' * 2000}</td></tr>"
    document = load_bytes(f"<html><body><table>{row * 100}</table></body></html>".encode(), source="a.html")
    assert len(document.text) < 100 * 2010
    assert document.text.startswith("| xxx")
    assert "said once" in document.notes[0]
    many = f"<table>{'<tr><td rowspan=100 colspan=100>a</td></tr>' + '<tr></tr>' * 99}</table>" * 50
    assert len(load_bytes(f"<html><body>{many}</body></html>".encode(), source="a.html").text) < len(many)
    square = "<tr><td rowspan=2 colspan=2>closed</td><td>5</td></tr><tr><td>6</td></tr>"
    assert _load(f"<table>{square}</table>") == [("table", "| closed |  | 5 |\n| closed |  | 6 |")]


def test_html_tables_keep_their_cells_apart_whatever_those_hold() -> None:
    code = "<tr><th>Key</th><th>Example</th></tr><tr><td>limit</td><td><pre>limit=5</pre></td></tr>"
    assert _load(f"<table>{code}</table>") == [("table", "| Key | Example |\n| --- | --- |\n| limit | limit=5 |")]
    titled = "<tr><td>Name</td><td><h4>Sub</h4>text</td></tr><tr><td>Age</td><td>5</td></tr>"
    assert _load(f"<table>{titled}</table>") == [("table", "| Name | Sub text |\n| Age | 5 |")]
    nested = "<tr><td>A</td><td>B</td></tr><tr><td>x1</td><td><table><tr><td>1</td><td>2</td></tr></table></td></tr>"
    assert _load(f"<table>{nested}</table>") == [("table", "| A | B |"), ("paragraph", "x1"), ("table", "| 1 | 2 |")]
    long = "<tr><td>Run</td><td><pre>a\nb\nc\nd</pre></td></tr>"
    assert _load(f"<table>{long}</table>") == [("paragraph", "Run"), ("code", "a\nb\nc\nd")]


_PROSE = "<p>This is a long paragraph of real content, with several clauses, so that the page has words enough.</p>" * 3


def test_html_content_is_not_dropped_for_its_name() -> None:
    named = "".join(
        f'<section id="{name}"><h2>{name}</h2><p>Facts on {name}.</p></section>'
        for name in ("cookies", "pagination", "informed-consent")
    )
    text = [words for _, words in _load(f"<main>{_PROSE}{named}{_PROSE}</main>")]
    assert [words for words in text if words.startswith("Facts")] == [
        *("Facts on cookies.", "Facts on pagination.", "Facts on informed-consent."),
    ]
    div = '<div class="autoclave-menu-tocopherol">Vitamin E.</div><div class="cookie-recipe">Bake it.</div>'
    assert [words for _, words in _load(_PROSE + div)][3:] == ["Vitamin E.", "Bake it."]


def test_html_headings_in_buttons_and_what_they_open_stay() -> None:
    body = (
        '<h2><button aria-controls="a1">How do I reset it?</button></h2><div id="a1" hidden>Use the link.</div>'
        "<details><summary><button>More?</button></summary><p>Yes.</p></details><button>Buy</button>"
    )
    assert _load(_PROSE + body)[3:] == [
        ("heading", "How do I reset it?"),
        *(("paragraph", words) for words in ("Use the link.", "More?", "Yes.")),
    ]


def test_html_forms_around_a_whole_page_are_no_forms() -> None:
    body = (
        '<form id="form1"><div id="content"><h1>放假通知</h1><p>国庆节放假七天。</p><input></div></form><p>footer</p>'
    )
    assert _load(body) == [("heading", "放假通知"), ("paragraph", "国庆节放假七天。")]
    assert _load(f"{_PROSE}<form><p>Your name</p></form>") == _load(_PROSE)


def test_html_headers_notes_and_footers_of_articles_are_content() -> None:
    body = (
        f"<header><p>Site</p></header><article><header><h2>Lyon</h2></header>{_PROSE}</article><article><header>"
        f"<h2>Turin</h2></header>{_PROSE}<aside><p>Never mix the two.</p></aside><blockquote><p>Quote</p><footer>Curie"
        "</footer></blockquote></article><footer>Imprint</footer>"
    )
    read = _load(body)
    assert [words for kind, words in read if kind == "heading"] == ["Lyon", "Turin"]
    assert read[-2:] == [("paragraph", "Never mix the two."), ("quote", "Quote\nCurie")]
    assert not {"Site", "Imprint"} & {words for _, words in read}


def test_html_code_keeps_its_lines() -> None:
    assert _load("<pre>import os<br>x = 1<br></pre>") == [("code", "import os\nx = 1")]
    assert _load("<pre><div>a = 1</div><div>b = 2</div></pre>") == [("code", "a = 1\nb = 2")]
    assert _load("<ol><li>Run:<pre>one<br>two</pre></li></ol>") == [("list", "1. Run:\n```\none\ntwo\n```")]


def test_html_reads_nothing_hidden_and_formulas_once() -> None:
    assert _load('<p>Seen.</p><div style="display: none">Spam</div><p style="visibility:hidden">Spam</p>') == [
        ("paragraph", "Seen.")
    ]
    page = '<html><body style="visibility: hidden"><p>Shown by a script.</p></body></html>'
    assert load_bytes(page.encode(), source="a.html").text == "Shown by a script."
    formula = (
        "<math><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi></mrow>"
        '<annotation encoding="{}">E=m^1</annotation></semantics></math>'
    )
    assert _load(f"<p>It is {formula.format('application/x-tex')}.</p>") == [("paragraph", "It is E=m^1.")]
    assert _load(f"<p>It is {formula.format('StarMath 5.0')}.</p>") == [("paragraph", "It is E=m.")]


def _load(body: str) -> list[tuple[str, str]]:
    return kinds(load_bytes(f"<html><body>{body}</body></html>".encode(), source="a.html"))


_TAGS = [
    *("<div>", "</div>", "<span>", "</span>", "<p>", "</p>", "<b>", "</b>", "<i id=x>", "<table>", "<td>", "</td>"),
    *("</table>", "<ul>", "<li>", "</li>", "</ul>", "<h2>", "</h2>", "<x-y>", "</x-y>", "<a href=/>", "</a>", "<nav>"),
    *("</nav>", "<svg>", "</svg>", "<form>", "</form>", "<div/>", "<tr>", "<dd>", "<ruby>", "<rt>", "<h1>", "<option>"),
    *(
        "<select>",
        "</select>",
        "<object>",
        "</object>",
        "<math>",
        "</math>",
        "<foreignObject>",
        "<legend>",
        "</legend>",
    ),
    *("<menu>", "</menu>", "<dialog>", "</dialog>", "<button>", "</button>"),
]


@settings(max_examples=60)
@example(tags=["</h2>", "<h2>", "<div>", "<h1>"])
@example(tags=["<ruby>", "</form>", "<form>"])
@example(tags=["<ruby>", "<p>", "<rt>"])
@example(tags=["<optgroup>", "</option>", "<option>"])
@example(tags=["<svg>", "<input>"])
@example(tags=["<li>", "<search>"])
@example(tags=["<object>", "<select>", "</object>"])
@example(tags=["<legend>", "<menu>", "</legend>"])
@example(tags=["<td>", "<div>", "<math>", "</td>"])
@example(tags=["<h2>", "<span>", "<ruby>", "<h1>", "</h2>"])
@example(tags=["<b>", "<object>", "</b>", "</object>"])
@example(tags=["<div>", "<textarea>", "</div>", "</textarea>"])
@example(tags=["</mi>", "<p>", "<mi>", "<div>", "<annotation-xml>"])
@example(tags=["<span>", "<p>", "<span>", "<div>", "</div>", "</span>", "<x-y>", "</span>"])
@example(tags=["<select>", "<input>", "<foreignObject>", "</select>"])
@example(tags=["<a>", "</dialog>", "<dialog>", "<summary>"])
@example(tags=["<ruby>", "</b>", "<rt>", "<b>", "</ruby>"])
@example(tags=["<table>", "<td>", "<p>"])
@example(tags=["<form>", "<table>", "<td>", "</form>", "<form>", "</table>", "</form>"])
@given(tags=st.lists(st.sampled_from(_TAGS), min_size=1, max_size=8))
def test_nesting_of_html_is_bounded_however_its_tags_repeat(tags: list[str]) -> None:
    depth = 0
    node = LexborHTMLParser(bounded("".join(tags) * 700 + "word")).body
    while node is not None and node.tag != "-text":
        node, depth = node.last_child, depth + 1
    assert depth < 600


def test_html_within_the_bound_is_parsed_as_it_is() -> None:
    html = "<div><p>a<b>b</b></p><!-- <i/> --><ul><li>x<li>y</ul><script>1</x/></script></div>" * 300
    assert bounded(html) == html
    deep = "<div>" * 300 + "deep" + "</div>" * 300
    assert bounded(deep) == "<div>" * 256 + "deep" + "</div>" * 256


def test_empty_elements_of_xhtml_end_where_they_stand() -> None:
    html = (
        '<html><head><title/><script src="a.js" /></head><body><p>First <a href=/x/>link</a> <a id="p1" />and <i/>more.'
        "</p><table><tr><th>k</th><th>v</th></tr><tr><td/><td>1</td></tr></table></body></html>"
    )
    assert kinds(load_bytes(html.encode(), source="a.xhtml")) == [
        ("paragraph", "First link and more."),
        ("table", "| k | v |\n| --- | --- |\n|  | 1 |"),
    ]


def test_a_page_of_a_manual_keeps_its_steps_and_loses_its_frame() -> None:
    html = """<html><head><title>Replacing the seal | Support</title></head><body>
    <a class="skip-link" href="#main">Skip to content</a><div id="onetrust-consent-sdk">We value your privacy.</div>
    <div class="topbar"><a href="/">Home</a></div><div id="main">
    <ol class="breadcrumbs"><li><a href=x>X2</a><li>Seal</ol>
    <ul class="toc"><li><a href="#steps">Steps</a></li><li><a href="#kits">Kits</a></li></ul>
    <h1>Replacing the seal<a class="headerlink" href="#replacing">¶</a></h1><p>Replace it every six months.</p>
    <h2>Steps <a href="#steps">#</a></h2><ol><li><p>Close the valve.</p><p>It is behind the cover.</p></li>
    <li>Run:<pre>pump --stop
    pump --open</pre>and wait.</li><li>Pull out the seal.</li></ol>
    <table><tr><td class="linenos"><pre>1</pre></td><td><pre>pump --test</pre></td></tr></table>
    <h2>Kits</h2><p>See <a href="#steps">the steps</a> and the kit that fits the pump you have.</p></div>
    <div class="site-footer"><a href=1>Imprint</a></div></body></html>"""
    document = load_bytes(html.encode(), source="a.html")
    assert document.title == "Replacing the seal"
    assert kinds(document) == [
        ("heading", "Replacing the seal"),
        ("paragraph", "Replace it every six months."),
        ("heading", "Steps"),
        (
            "list",
            "1. Close the valve. It is behind the cover.\n2. Run:\n```\npump --stop\n    pump --open\n```\nand wait.\n"
            "3. Pull out the seal.",
        ),
        ("code", "pump --test"),
        ("heading", "Kits"),
        ("paragraph", "See the steps and the kit that fits the pump you have."),
    ]


def test_html_items_count_as_the_page_says_and_keep_their_words_apart() -> None:
    html = "<ol start=3><li>a<li value=7>b<li>c</ol><ul><li><p>Thanks!</p><a href=#r>Reply</a></li></ul>"
    assert _load(html) == [("list", "3. a\n7. b\n8. c"), ("list", "- Thanks! Reply")]
    assert _load(f"<ol start={'9' * 5000}><li>a</ol>") == [("list", "1. a")]
