"""The title that a file's properties state, where it is one: programs write their own name, a path or nothing there."""

from __future__ import annotations

import re

from chunking.normalize import clean

_SUFFIX = (
    r"\.(?:docx?|docm|dotx?|rtf|odt|wps|pages|pptx?|ppsx?|odp|xlsx?|xlsm|ods|pdf|e?ps|dvi|tex|indd|qxd|pmd|fm|cdr|ai"
    r"|x?html?|mht|txt|md|tmp)"
)
_NO_TITLE = re.compile(
    r"about:\w+|data:.*|[a-z][a-z+.-]*://.*"
    rf"|(?:[a-z]:)?[\\/].*|.*{_SUFFIX}"
    r"|microsoft (?:office )?(?:word|excel|powerpoint|publisher|visio)(?: ?[-–—].*)?"
    r"|(?:untitled|new|blank|no title)(?:[ -]?(?:document|page|presentation|spreadsheet|file|\d|title))*"
    r"|(?:document|doc|book|presentation|slide|workbook|sheet|title|microsoft word document)? ?[\d()_.-]*"
    r"|新建 ?microsoft .*"
    r"|powerpoint (?:presentation|演示文稿|簡報)|(?:document|page) title"
    r"|(?:(?:未命名|无标题|無標題|新建)(?:的)?(?:文档|文件|文稿|演示文稿|幻灯片|簡報|网页)?"
    r"|文档|文件|演示文稿|幻灯片|工作簿|标题|標題) ?[\d()_-]*"
    r"|\(?(?:anonymous|unspecified|unknown|none|null|stdin|title)\)?"
    r"|[\W\d_]*",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST = 500
_PRINTED = re.compile(r"microsoft (?:office )?(?:word|excel|powerpoint) ?[-–—] ?", re.IGNORECASE)


def stated_title(given: str | None) -> str:
    """`given` on one line, empty where it names a program, a file or an address instead of what the text is about.

    What Word prints as ``Microsoft Word - Pump manual`` is called ``Pump manual``, unless that is a file's name.
    """
    title = _PRINTED.sub("", " ".join(clean(given or "").split()), count=1)[:_LONGEST]
    return "" if "\ufffd" in title or _NO_TITLE.fullmatch(title) else title
