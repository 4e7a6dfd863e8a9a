"""What a question may be asked about: names that say what is told of a thing, and headings that name a thing.

``What is the {name} of {thing}?`` reads as a question for few of the words that head a column or a line. So names are
those of a list: fewer questions, which read right.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from chunking.types import Document
from eval.drafting.facts import heading_name
from graph.language import has_han

_EN_NAMES = frozenset({
    "accuracy", "action", "address", "age", "airflow", "allowance", "altitude", "amount", "amperage", "area",
    "author", "bandwidth", "brand", "budget", "cadence", "capacity", "capital", "category", "cause", "charge",
    "class", "code", "colour", "color", "consumption", "cost", "currency", "current", "date", "deadline", "default",
    "deposit", "department", "depth", "description", "destination", "diameter", "dimensions", "dose", "dosage",
    "duration", "effect", "efficiency", "email", "energy", "extension", "fee", "fine", "floor", "format", "frequency",
    "fuse", "height", "humidity", "interval", "language", "latency", "length", "level", "licence", "license", "limit",
    "location", "manager", "manufacturer", "mass", "material", "maximum", "meaning", "memory", "minimum", "model",
    "name", "number", "output", "owner", "path", "penalty", "period", "phone", "pitch", "population", "port",
    "position", "power", "precision", "premium", "pressure", "price", "priority", "purpose", "quantity", "quota",
    "range", "rank", "rate", "ratio", "recall", "refrigerant", "remedy", "resistance", "resolution", "responsibility",
    "result", "retention", "role", "runtime", "salary", "schedule", "scope", "score", "seat", "severity", "share",
    "size", "solution", "speed", "stage", "status", "storage", "strength", "supplier", "surcharge", "symptom",
    "target", "temperature", "term", "thickness", "threshold", "time", "timeout", "tolerance", "torque", "type",
    "value", "vendor", "version", "viscosity", "voltage", "volume", "warranty", "wattage", "wavelength", "weight",
    "width", "yield", "zone",
})  # fmt: skip
_EN_HEAD = re.compile(r"^(?P<noun>.+?)(?: (?:per|in|at|of|from|for|to|on) .*)?$")
_EN_VERB = re.compile(r"\b(?:is|are|was|were|has|have|needs?|fires|when|who|used|left|no|not)\b", re.IGNORECASE)
_ZH_NAMES = re.compile(
    r".*(?:含义|意思|作用|英文|中文|默认值|值|数|量|率|时间|时长|日期|期限|有效期|保修期|期|长|宽|高|深|重|价|价格|单价|费|费用|额|金额"
    r"|预算|押金|负责人|联系人|部门|地点|位置|地址|楼层|电话|分机|邮箱|编号|型号|原因|措施|方法|办法|范围|上限|下限|等级|级别|频率|周期"
    r"|间隔|用途|功能|版本|大小|容量|功率|电压|电流|温度|压力|速度|转速|流量|扬程|颜色|材质|材料|产地|供应商|制造商|厂家|得分|分数|均值"
    r"|占比|比例|尺寸|长度|宽度|高度|深度|直径|体积|重量|面积|厚度|精度|口径|职责|处罚|标准|格式|端口|路径|阈值|现象|后果|结论|人口|作者)"
)
_ZH_NO_NAME = re.compile(
    r"是否|需要|能否|可否|序号|备注|单位|[问答]|星期|周[一二三四五六日末]|步骤|其中|注意|例如|如何|怎|哪"
)
_TITLES = re.compile(
    r"(?: (?:user |service |owner's |installation |operating |technical )?"
    r"(?:manual|guide|handbook|data ?sheet|specifications?|runbook|instructions))$"
    r"|(?:的)?(?:使用|用户|维护|维修|操作|安装|技术|产品)*(?:手册|说明书|说明|指南|规格书|规格|参数|规程)$",
    re.IGNORECASE,
)
_MODEL = re.compile(r"(?<![\w-])(?!Q[1-4]\b)[A-Z][A-Za-z]{0,7}-?\d+[A-Za-z\d-]*(?![\w-])")
_NO_THING = re.compile(
    r"\d{4}|[:：;；,，、(（?？&]|\b(?:and|notes?|meetings?|minutes|reports?|faq|questions?|polic(?:y|ies)|rules|review|overview|study"
    r"|introduction|data|index|summary|list|table|plan|runbook|manual|guide|handbook|statistics|scores|running|how|what|where|why)\b"
    r"|[的与和及在]|纪要|会议|报告|通知|制度|规定|办法|问题|说明|指南|手册|总结|清单|目录|计划|方案|复盘|评测|记录|须知|守则|概述|简介|参数|术语",
    re.IGNORECASE,
)
_NUMERIC = re.compile(r"[\d\s.,:：/%年月日时分秒()（）~～–—-]+")
_LONGEST_ZH = 16
_MONTHS = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*\b", re.IGNORECASE
)
_NUMBERED = re.compile(
    r".*(?:code|error|reply|status|port|level|grade|class|model|room|gate|line|version|type|channel|pin|stage|tier"
    r"|代码|编号|状态码?|级别?|等级|房间|端口|版本|型号|代号|通道|引脚|错误码|返回码|响应)",
    re.IGNORECASE,
)


def is_attribute(name: str) -> bool:
    """Whether a thing has one: ``colour``, ``price per month``, 额定流量; no ``Saturday``, ``Unit``, 备注 or person."""
    if has_han(name):
        return bool(_ZH_NAMES.fullmatch(name)) and not _ZH_NO_NAME.search(name)
    head = _EN_HEAD.match(name.lower())
    return head is not None and head["noun"].split()[-1] in _EN_NAMES and not _EN_VERB.search(name)


def identifies(name: str, kind: str) -> bool:
    """Whether the head of a row tells one row from others of its kind: a code or a name, no day and no amount."""
    if _NUMERIC.fullmatch(name):
        return bool(_NUMBERED.fullmatch(kind)) and bool(re.search(r"\d", name)) and not re.search(r"[:：/%年月]", name)
    if re.search(r"[A-Za-z]", name) and name[0].islower() and len(name.split()) > 2:
        return False  # ``no reply in time`` is said of a row, it is not its name.
    if has_han(name) and len(name) > _LONGEST_ZH:
        return False
    return not (_MONTHS.search(name) and re.search(r"\d", name)) and not re.match(r"[\d.,]+\s*[A-Za-z%]*$", name)


def is_code(name: str, label: str) -> bool:
    """Whether `name` is one of numbered codes, which `label` calls so: E07, or 401 as ``reply 401``."""
    return not name.isdigit() or bool(_NUMBERED.search(label))


def thing_of(path: tuple[str, ...], document: Document) -> str:
    """The thing that the text under these headings is about, by its name; empty where none of them names one."""
    title = "" if document.title == PurePosixPath(document.source).stem else document.title
    for heading in (*reversed(path), title):
        given = heading_name(heading)
        name = _TITLES.sub("", given).strip()
        if not 2 <= len(name) <= 40 or len(name.split()) > 6:
            continue
        if _MODEL.search(name) and not _NO_THING.search(_MODEL.sub("", name)):
            return name
        # Without a model's number only a title can be told from a section's name.
        if heading == title and name == given and not _NO_THING.search(name) and (has_han(name) or name[0].isupper()):
            return name
    return ""


def with_article(thing: str) -> str:
    """``the HX-200 heat pump``, but ``Kestrel K3``."""
    return f"the {thing}" if re.search(r" [a-z]+$", thing) and not thing.lower().startswith("the ") else thing
