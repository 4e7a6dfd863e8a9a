"""Text recognition (extra ``ocr``): the picture of a page -> lines with their places.

rapidocr's PP-OCR models read Chinese and English. They travel in its wheel and are named by path, so that nothing is
ever fetched.
"""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path
from typing import Any

from chunking.loaders.pdf_lines import Line, reading_order

LONG_SIDE = 2000
"""Pixels of the longer side that the models see; larger pictures are scaled down to it by the library."""
_SAME_SIZE = (0.75, 1.35)  # box heights, in medians of the page, that are one print size: ascenders vary them
_ENGINE = threading.Lock()  # one engine, whose sessions use every core


def can_recognise() -> bool:
    """Whether the extra is installed."""
    try:
        import rapidocr  # noqa: F401 - an installed package may still fail to import
    except ImportError:
        return False
    return True


def recognise(pixels: Any, dpi: float) -> list[Line]:
    """Lines in reading order, in points, of a picture given as (height, width, 3) bytes, blue first."""
    with _ENGINE:
        found = _engine()(pixels)
    if found.boxes is None or found.txts is None:
        return []
    height, width = pixels.shape[:2]
    points = 72 / dpi
    boxes = [
        (text, box[:, 0].min() * points, box[:, 0].max() * points, box[:, 1].min() * points, box[:, 1].max() * points)
        for text, box in zip(found.txts, found.boxes, strict=True)
    ]
    heights = sorted(below - above for _, _, _, above, below in boxes)
    usual = heights[len(heights) // 2]
    segments: list[Line] = []
    row = 0
    for text, left, right, above, below in _by_rows(boxes):
        size = below - above
        if _SAME_SIZE[0] * usual <= size <= _SAME_SIZE[1] * usual:
            size = usual
        middle = height * points - (above + below) / 2
        bottom = float(middle - size / 2)
        if segments and abs(segments[-1].bottom - bottom) >= 0.5 * size:
            row += 1
        segments.append(Line(str(text), float(left), float(right), bottom, float(bottom + size), float(size), row))
    return reading_order(segments, width * points)


def _by_rows(boxes: list[tuple[str, Any, Any, Any, Any]]) -> list[tuple[str, Any, Any, Any, Any]]:
    """Top to bottom, and left to right where boxes overlap by half their height."""
    rows: list[list[tuple[str, Any, Any, Any, Any]]] = []
    for box in sorted(boxes, key=lambda box: box[3] + box[4]):
        first = rows[-1][0] if rows else None
        middle = (box[3] + box[4]) / 2
        if first and first[3] + 0.25 * (first[4] - first[3]) <= middle <= first[4] - 0.25 * (first[4] - first[3]):
            rows[-1].append(box)
        else:
            rows.append([box])
    return [box for row in rows for box in sorted(row, key=lambda box: box[1])]


@cache
def _engine() -> Any:
    import rapidocr

    models = Path(rapidocr.__file__).parent / "models"
    return rapidocr.RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.max_side_len": LONG_SIDE,
            "Det.model_path": str(models / "PP-OCRv6_det_small.onnx"),
            "Cls.model_path": str(models / "ch_ppocr_mobile_v2.0_cls_mobile.onnx"),
            "Rec.model_path": str(models / "PP-OCRv6_rec_small.onnx"),
        }
    )
