"""Pictures of pages (PNG, JPEG, TIFF, WebP) through text recognition; the frames of a TIFF file are its pages."""

from __future__ import annotations

import io
import warnings

from chunking.errors import DocumentError, install_line
from chunking.loaders.base import Parsed
from chunking.loaders.ocr import LONG_SIDE, can_recognise, recognise
from chunking.loaders.pages import compose_pages, page_ranges

MAX_PIXELS = 80_000_000
"""Of one picture: an A3 page at 600 dpi has 70 million."""
_A4_INCHES = 11.7


def load_image(data: bytes, source: str) -> Parsed:
    if not can_recognise():
        raise DocumentError(
            f"{source} is a picture, which only text recognition reads: run {install_line('ocr')}.",
            code="missing_extra",
        )
    import numpy as np
    from PIL import Image, ImageOps, ImageSequence

    pages = []
    try:
        # Damage in what describes a picture (EXIF) is no damage to its text.
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as image:
            for frame in ImageSequence.Iterator(image):
                if frame.width * frame.height > MAX_PIXELS:
                    raise DocumentError(
                        f"{source} has more than {MAX_PIXELS:,} pixels: save it in a smaller size.", code="too_large"
                    )
                upright = ImageOps.exif_transpose(frame).convert("RGBA")
                upright.thumbnail((LONG_SIDE, LONG_SIDE))
                page = Image.new("RGB", upright.size, "white")
                page.paste(upright, mask=upright.getchannel("A"))
                pixels = np.ascontiguousarray(np.asarray(page)[:, :, ::-1])
                pages.append(recognise(pixels, dpi=max(page.size) / _A4_INCHES))
                if image.format != "TIFF":
                    break
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise DocumentError(
            f"{source} is a damaged picture: open it in a viewer and save it anew.", code="damaged"
        ) from error
    if not any(pages):
        raise DocumentError(
            f"{source} is a picture in which no text was recognised: there is nothing to read in it.", code="no_text"
        )
    builder, page_starts, _ = compose_pages(pages)
    title = next((block.heading_path[-1] for block in builder.blocks if block.kind == "heading"), "")
    read = [number for number, lines in enumerate(pages, start=1) if lines]
    notes = [f"pages read by text recognition: {page_ranges(read)}"]
    if len(read) < len(pages):
        empty = [number for number, lines in enumerate(pages, start=1) if not lines]
        notes.append(f"pages without text: {page_ranges(empty)}")
    return Parsed(builder.text, tuple(builder.blocks), title, tuple(notes), page_starts)
