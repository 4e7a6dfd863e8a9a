"""Products, persons, projects and organisations that a document names."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from chunking.types import Document
from eval.drafting.names import is_attribute
from eval.drafting.tables import read_table
from graph.support import SURNAMES


class Mention(NamedTuple):
    """`kind` is product, person, project or organisation; the name stands in the document from `start` on."""

    kind: str
    name: str
    document: Document
    start: int

    @property
    def called(self) -> re.Pattern[str]:
        """What other places call it: Okafor, Calder Ferries, Osprey; VX 40 and VX40 as well as VX-40."""
        name = _AROUND_NAME.sub("", self.name)
        if self.kind == "person" and name.isascii():
            name = name.split()[-1]
        letters = r"[\s-]?".join(re.escape(part) for part in re.split(r"[\s-]", name))
        return re.compile(rf"(?<!\w){letters}" if name.isascii() else letters, re.IGNORECASE)


_AROUND_NAME = re.compile(
    r"^Project | (?:GmbH|Ltd|Limited|Inc|LLC|AG|plc|Corp|Corporation)$|(?<=..)(?:有限公司|股份公司|项目)$"
)
_NEAR = 60
"""Characters around a model's number that tell whether it is one of what is sold."""
_MODEL = re.compile(r"(?<![\w-])[A-Z][A-Za-z]{1,7}-\d{1,4}(?: [A-Z]{1,2})?(?![\w-])")
_IDENTIFIER = re.compile(
    r"(?:CVE|INC|RFC|RS|ISO|DIN|EN|UTF|SHA|COVID)-|[A-Z]{1,3}-20\d\d|[A-Z]{2}-\d{4}", re.IGNORECASE
)
_PLACE_OR_CODE = re.compile(
    r"\b(?:rooms?|building|floor|form|section|gate|lab|invoice|order|ticket|error|code|reply|status|alarm)(?: no\.?)? $"
    r"|(?:[室楼]|错误|代码|报警|故障)\s?$",
    re.IGNORECASE,
)
_SOLD = re.compile(
    r"\b(?:pump|router|machine|device|sensor|printer|camera|phone|meter|drill|scale|oven|boiler|valve|motor|mower|kettle"
    r"|robot|scanner|battery|charger|heater|heat pump|vacuum|projector|lamp|drone|bike|unit|model|gateway|station)s?\b"
    r"|[机器泵仪灯阀炉锁箱车]|设备|产品|型号",
    re.IGNORECASE,
)
_HEAD_OF_PERSONS = re.compile(
    r"(?:(?:\w+ )?(?:owner|contact|manager|lead|engineer)|name|responsible|author|who|attendee|chair|supervisor)"
    r"|(?:负责人|姓名|联系人|经理|主管|责任人|值班人员?|维护人|作者|审批人)",
    re.IGNORECASE,
)
_EN_PERSON = r"[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ’'-]+){1,2}"
_ZH_PERSON = rf"[{SURNAMES}][\u4e00-\u9fff]{{1,2}}"
_PERSON = re.compile(f"{_EN_PERSON}|{_ZH_PERSON}")
_INTRODUCED = re.compile(
    rf"(?:by|manager|owner|director|officer|engineer|lead|contact|[Cc]hair|Author):?(?: is|,)? (?P<en>{_EN_PERSON})"
    r"(?=[,.;:)\s]|$)"
    rf"|(?:负责人|联系人|主持人|记录人|经理|主任|组长|编写|作者)[：:]\s?(?P<zh>{_ZH_PERSON})(?=[，。、；;,\s（(]|$)"
)
_NO_PERSON = re.compile(
    r"(?:The|All|Any|Project|Data|Human|Head|Team|Office|Chief|Quality|Customer|Service|Legal|Board|Provider|Client|Supplier|Vendor|Partner)\b"
)
_PROJECT = re.compile(
    r"\bProject [A-Z][a-z]+\b|(?<=[《“「])[\u4e00-\u9fff]{2,6}项目(?=[》”」])"
    r"|(?m:(?<=^# )[\u4e00-\u9fff]{2,4}项目(?=例会|周报|会议|纪要|立项|计划|总结|复盘))"
)
_ORGANISATION = re.compile(
    r"\b[A-Z][\w'’-]+ (?:(?:& )?[A-Z][\w'’-]+ ){0,3}(?:GmbH|Ltd|Limited|Inc|LLC|AG|plc|Corp|Corporation)\b"
    r"|(?:(?![由与和及向为给从在的是本该])[\u4e00-\u9fff]){3,12}?(?:有限公司|股份公司)"
)


def mentions(documents: Sequence[Document]) -> list[Mention]:
    """Each name once, where it stands first; the documents by turns."""
    piles = [_mentioned(document) for document in documents]
    longest = max(map(len, piles), default=0)
    found = [pile[turn] for turn in range(longest) for pile in piles if turn < len(pile)]
    return list({each.name: each for each in reversed(found)}.values())[::-1]


def _mentioned(document: Document) -> list[Mention]:
    """In an order of their own, so that what stands first in every document is not asked about alone."""
    told = (*_products(document), *_named(document), *_listed(document), *_introduced(document))
    found = {each.name: each for each in reversed(told)}
    return sorted(found.values(), key=lambda each: zlib.crc32(each.name.encode()))


def _products(document: Document) -> Iterator[Mention]:
    text = document.text
    for match in _MODEL.finditer(text):
        before, after = text[max(0, match.start() - _NEAR) : match.start()], text[match.end() : match.end() + _NEAR]
        if not _IDENTIFIER.match(match[0]) and not _PLACE_OR_CODE.search(before) and _SOLD.search(f"{before} {after}"):
            yield Mention("product", match[0], document, match.start())


def _named(document: Document) -> Iterator[Mention]:
    for kind, pattern in (("project", _PROJECT), ("organisation", _ORGANISATION)):
        for match in pattern.finditer(document.text):
            yield Mention(kind, match[0], document, match.start())


def _listed(document: Document) -> Iterator[Mention]:
    """Persons in a table's column of them."""
    for block in document.blocks:
        header, rows = read_table(document, block) if block.kind == "table" else ([], [])
        for column in (number for number, head in enumerate(header) if _HEAD_OF_PERSONS.fullmatch(head)):
            for start, end, cells in rows:
                name = cells[column] if column < len(cells) else ""
                if _PERSON.fullmatch(name) and not _NO_PERSON.match(name) and not is_attribute(name):
                    yield Mention("person", name, document, document.text.index(name, start, end))


def _introduced(document: Document) -> Iterator[Mention]:
    """Persons told by what they are: ``Chair: Ruth Okafor``, 主持人：沈若水."""
    for match in _INTRODUCED.finditer(document.text):
        name = match["en"] or match["zh"]
        start = match.end() - len(name)
        if not _NO_PERSON.match(name) and not _ORGANISATION.match(document.text, start):
            yield Mention("person", name, document, start)
