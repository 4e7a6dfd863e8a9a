"""Scanned pages and pictures are read by models that travel with the extra, or named with the line that installs it."""

from __future__ import annotations

import io
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from fpdf import FPDF
from PIL import Image, ImageDraw, ImageFont

from chunking.errors import DocumentError
from chunking.loaders import SUPPORTED, load_bytes
from chunking.loaders.media import readable_suffixes
from chunking.loaders.ocr import recognise

FONTS = (
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc",
)
ENGLISH = [
    "The nightly job starts at 02:30 and writes its report to the",
    "shared folder, so that everyone on call can read it.",
]
CHINESE = ["每日备份保留三十天，超过期限的备份由清理任务在凌晨两点", "自动删除，删除之前会再次核对校验和。"]


def _chinese_font() -> str:
    font = next((font for font in FONTS if Path(font).is_file()), None)
    if font is None:
        pytest.skip("no Noto Sans CJK font is installed to draw a Chinese page with")
    return font


def _english_font() -> str:
    import matplotlib

    return str(Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf")


@cache
def _page(font: str, heading: str, lines: tuple[str, ...]) -> Image.Image:
    page = Image.new("RGB", (940, 740), "white")
    draw = ImageDraw.Draw(page)
    draw.text((60, 60), heading, font=ImageFont.truetype(font, 44), fill="black")
    for number, line in enumerate(lines):
        draw.text((60, 180 + 40 * number), line, font=ImageFont.truetype(font, 24), fill="black")
    return page


def _english() -> Image.Image:
    return _page(_english_font(), "Backup rules", tuple(ENGLISH))


def _file(*pages: Image.Image, form: str) -> bytes:
    stream = io.BytesIO()
    pages[0].save(stream, form, **({"save_all": True, "append_images": pages[1:]} if form in ("PDF", "TIFF") else {}))
    return stream.getvalue()


@pytest.mark.parametrize("form", ["PNG", "WEBP"])
def test_a_picture_is_a_page(form: str) -> None:
    document = load_bytes(_file(_english(), form=form), source=f"a.{form.lower()}")
    assert [(block.kind, block.page) for block in document.blocks] == [("heading", 1), ("paragraph", 1)]
    assert document.text == "Backup rules\n\n" + " ".join(ENGLISH)
    assert document.title == "Backup rules"
    assert document.blocks[1].heading_path == ("Backup rules",)
    assert document.notes == ("pages read by text recognition: 1",)


def test_a_chinese_page_is_read_in_paragraphs_without_spaces() -> None:
    page = _page(_chinese_font(), "备份与恢复", tuple(CHINESE))
    document = load_bytes(_file(page, form="PNG"), source="a.png")
    assert document.text == "备份与恢复\n\n" + "".join(CHINESE)


def test_scanned_pages_of_a_pdf_are_read_where_the_text_layer_is_missing() -> None:
    pdf = FPDF(format=(94, 74))
    pdf.set_font("Helvetica", size=6)
    pdf.add_page()
    pdf.text(10, 10, "This page has a text layer that says all there is to say.")
    pdf.add_page()
    pdf.image(_english(), x=0, y=0, w=94)
    pdf.add_page()
    pdf.image(_english(), x=0, y=0, w=94)
    pdf.text(47, 70, "3")  # a page number does not make a scan a page of text
    pdf.add_page()
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    assert document.notes == ("pages read by text recognition: 2-3", "pages without text: 4")
    own = " ".join(ENGLISH)
    assert document.text.count(own) == 2
    places = [document.text.index(own), document.text.rindex(own)]
    assert [document.page_at(place) for place in (0, *places)] == [1, 2, 3]
    assert [document.page_at(place + len(own) - 1) for place in places] == [2, 3]


def test_the_frames_of_a_tiff_are_its_pages() -> None:
    blank = Image.new("RGB", (600, 400), "white")
    document = load_bytes(_file(_english(), blank, _english(), form="TIFF"), source="scan.tif")
    assert document.notes == ("pages read by text recognition: 1, 3", "pages without text: 2")
    assert document.page_at(len(document.text) - 1) == 3


def test_recognised_columns_are_read_one_after_the_other() -> None:
    page = Image.new("RGB", (1000, 740), "white")
    draw = ImageDraw.Draw(page)
    font = ImageFont.truetype(_english_font(), 20)
    for column in range(2):
        for line in range(9):
            draw.text(
                (60 + 470 * column, 60 + 60 * line),
                f"column{column} line{line} of running text here",
                font=font,
                fill="black",
            )
    lines = recognise(np.ascontiguousarray(np.asarray(page)), 150)
    assert [line.text.split()[:2] for line in lines] == [[f"column{c}", f"line{n}"] for c in range(2) for n in range(9)]


def test_transparent_and_turned_pictures_are_read_as_they_are_seen() -> None:
    page = _english()
    ink = page.convert("L").point(lambda value: 255 - value)
    clear = Image.merge("RGBA", [*Image.new("RGB", page.size, "black").split(), ink])
    assert ENGLISH[1] in load_bytes(_file(clear, form="PNG"), source="a.png").text
    exif = Image.Exif()
    exif[0x0112] = 6  # turn a quarter clockwise to view
    stream = io.BytesIO()
    page.rotate(90, expand=True).save(stream, "JPEG", exif=exif)
    # A lossy picture may cost a space; turned the wrong way it would cost everything.
    assert "The nightly job starts at 02:30" in load_bytes(stream.getvalue(), source="a.jpg").text


def test_a_picture_without_text_is_an_error() -> None:
    blank = Image.new("RGB", (400, 300), "white")
    with pytest.raises(DocumentError, match=r"a\.png is a picture in which no text was recognised"):
        load_bytes(_file(blank, form="PNG"), source="a.png")
    with pytest.raises(DocumentError, match=r"a\.pdf has no text layer, and no text was recognised"):
        load_bytes(_file(blank, form="PDF"), source="a.pdf")


def test_without_the_extra_scans_are_named_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ".png" in readable_suffixes()
    monkeypatch.setitem(sys.modules, "rapidocr", None)  # what Python takes for a package that is not there
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert set(SUPPORTED) - set(readable_suffixes()) == {
        ".png",
        ".jpg",
        ".jpeg",
        ".tif",
        ".tiff",
        ".webp",
        ".xlsx",
        ".xlsm",
    }
    with pytest.raises(DocumentError, match=r"no supported type: convert it to (?!.*\.(?:png|xlsx))"):
        load_bytes(b"words", source="a.xyz")
    install = r"pip install 'agentic-crag\[ocr\]' elsewhere"
    with pytest.raises(DocumentError, match=rf"a\.png is a picture.*{install}\.$"):
        load_bytes(_file(_english(), form="PNG"), source="a.png")
    with pytest.raises(DocumentError, match=rf"a\.pdf has no text layer, it is a scan: run .*{install}\.$"):
        load_bytes(_file(_english(), form="PDF"), source="a.pdf")
    pdf = FPDF(format="A4")
    pdf.set_font("Helvetica", size=12)
    pdf.add_page()
    pdf.text(20, 20, "Some text on the first page.")
    pdf.add_page()
    (note,) = load_bytes(bytes(pdf.output()), source="a.pdf").notes
    assert note.startswith("pages without text: 2 (if they are scans, run pip install")


def test_nothing_is_fetched_and_nothing_heavy_is_imported_before_it_is_needed() -> None:
    # The guard on every test process refuses connections; a fresh one shows that none is tried at the first use.
    code = (
        "import sys, numpy\nimport chunking.loaders\nassert not {'cv2', 'rapidocr'} & set(sys.modules)\n"
        "from chunking.loaders.ocr import recognise\n"
        "assert recognise(numpy.full((64, 64, 3), 255, numpy.uint8), 72) == []\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
