"""Closed kinds whose members stand in for one another in a question: cities, departments, plans, months, years.

A question that asks the same of another member, which no document has, is one that the documents do not answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from graph.questions import MONTHS


@dataclass(frozen=True)
class Kind:
    """`members` are written as ``English|中文|other forms``; a member without one of the languages has ``-`` there.

    `covers` matches what speaks of all members or of those not named: where it stands, another one may be answered.
    """

    name: str
    members: tuple[tuple[str, ...], ...]
    covers: re.Pattern[str]
    timed: bool = False
    cased: bool = True
    """Whether the English names are told by their capitals."""

    def named(self, text: str, lang: str) -> Iterator[tuple[int, int, int]]:
        """Start, end and number of each member that the text names in this language."""
        for number in range(len(self.members)):
            if word := self.word(number, lang):
                yield from (
                    (*found.span(), number) for found in _form(word, 0 if self.cased else re.IGNORECASE).finditer(text)
                )

    def word(self, number: int, lang: str) -> str:
        """A member in this language; empty where it has none."""
        told = self.members[number][0 if lang == "en" else 1]
        return "" if told == "-" else told

    def says(self, number: int, text: str) -> bool:
        """Whether the text names the member in any of its forms."""
        # A lower-case "may" is no month.
        flags = 0 if self.timed else re.IGNORECASE
        return any(_form(form, flags).search(text) for form in self.members[number] if form != "-")


@lru_cache(maxsize=1024)
def _form(form: str, flags: int) -> re.Pattern[str]:
    """Whole and in its plural: ``directors`` says ``director``, 11月 does not say 1月."""
    whole = rf"(?<![\w-]){re.escape(form)}s?(?!\w)" if form.isascii() else rf"(?<!\d){re.escape(form)}"
    return re.compile(whole, flags)


def _kind(name: str, members: str, covers: str = "", *, timed: bool = False, cased: bool = True) -> Kind:
    every = (
        r"\b(?:others?|rest|remaining|elsewhere|else|any(?:where)?|all|every(?:one|where)?|each|worldwide|globally)\b"
    )
    every += r"|其他|其它|其余|所有|任何|全部|全国|全球|各|均|一律|不论|凡"
    rows = tuple(tuple(row.split("|")) for row in members.split())
    named = tuple(tuple(form.replace("_", " ") for form in row) for row in rows)
    return Kind(name, named, re.compile(f"{every}|{covers}" if covers else every, re.IGNORECASE), timed, cased)


_REGIONS = (
    r"\b(?:europe(?:an)?|eu|eea|emea|asia|apac|africa|america|nordics?|benelux|dach|scandinavia|iberia|baltics?|abroad"
    r"|international|foreign|domestic|countries|cities|sites|offices|branches)\b"
    r"|欧洲|亚洲|非洲|美洲|北欧|西欧|东南亚|华东|华南|华北|华中|西南|西北|东北|境外|国外|海外|省会|一线城市"
)
_TIMES = (
    r"\b(?:daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|since|from|until|through|onwards?|after|before|between"
    r"|weekdays?|weekends?|working days?|business days?"
    r"|per (?:day|week|month|quarter|year)|a (?:day|week|month|year))\b"
    r"|每|以来|起|至|到|之前|之后|以前|以后|全年|工作日|周末|历年|年度"
)
KINDS = (
    _kind(
        "place",
        "Germany|德国|German France|法国|French Spain|西班牙|Spanish Italy|意大利|Italian Austria|奥地利 Poland|波兰"
        " Portugal|葡萄牙 Norway|挪威 Sweden|瑞典 Denmark|丹麦 Finland|芬兰 Japan|日本 Canada|加拿大 Brazil|巴西"
        " Mexico|墨西哥 India|印度 Australia|澳大利亚 Singapore|新加坡 Turkey|土耳其 Greece|希腊 Ireland|爱尔兰"
        " Switzerland|瑞士|Swiss Hungary|匈牙利 Thailand|泰国 Vietnam|越南",
        _REGIONS,
    ),
    _kind(
        "place",
        "London|伦敦 Paris|巴黎 Berlin|柏林 Madrid|马德里 Vienna|维也纳 Rome|罗马 Lisbon|里斯本 Oslo|奥斯陆"
        " Stockholm|斯德哥尔摩 Copenhagen|哥本哈根 Helsinki|赫尔辛基 Warsaw|华沙 Prague|布拉格 Hamburg|汉堡"
        " Munich|慕尼黑 Zurich|苏黎世 Geneva|日内瓦 Brussels|布鲁塞尔 Amsterdam|阿姆斯特丹 Lyon|里昂 Milan|米兰"
        " Dublin|都柏林 Manchester|曼彻斯特 Rotterdam|鹿特丹 Tokyo|东京 Toronto|多伦多 Boston|波士顿 Chicago|芝加哥"
        " Seattle|西雅图",
        _REGIONS,
    ),
    _kind(
        "place",
        "Beijing|北京 Shanghai|上海 Guangzhou|广州 Shenzhen|深圳 Chengdu|成都 Hangzhou|杭州"
        " Nanjing|南京 Wuhan|武汉 Xi'an|西安 Chongqing|重庆 Tianjin|天津 Suzhou|苏州 Qingdao|青岛 Changsha|长沙"
        " Xiamen|厦门 Zhengzhou|郑州 Dalian|大连 Kunming|昆明",
        _REGIONS,
    ),
    _kind(
        "group",
        "Marketing|市场部|市场 Sales|销售部|销售 Finance|财务部|财务 Engineering|工程部 Legal|法务部|法务"
        " Procurement|采购部|采购|Purchasing Logistics|物流部|物流 HR|人力资源部|人事|Human_Resources"
        " Research|研发部|研发 Quality|质量部|质检 Operations|运营部 Customer_Service|客服部|客服 Claims|理赔部"
        " Underwriting|核保部 Accounting|会计部|会计 Security|安保部 Facilities|行政部|行政 Design|设计部",
    ),
    _kind(
        "role",
        "director|总监 manager|经理 intern|实习生 trainee|培训生 apprentice|学徒 contractor|外包人员|外包"
        " volunteer|志愿者 visitor|访客|来宾 pensioner|退休人员|退休 student|学生 consultant|顾问 driver|司机"
        " technician|技术员 accountant|会计 team_lead|组长|主管 executive|高管 part-timer|兼职人员|兼职 nurse|护士",
        r"\b(?:employees|staff)\b|员工|职工",
        cased=False,
    ),
    _kind(
        "plan",
        "Free|免费版 Starter|入门版 Basic|基础版 Standard|标准版 Plus|增强版 Pro|专业版 Business|商业版 Team|团队版"
        " Premium|高级版 Enterprise|企业版 Ultimate|旗舰版 Personal|个人版",
        r"\bplans\b|各版本",
    ),
    _kind(
        "system",
        "Windows|- macOS|-|Mac Linux|-|Ubuntu|Debian Android|安卓 iOS|-|iPhone|iPad HarmonyOS|鸿蒙 ChromeOS|-",
    ),
    _kind(
        "leave",
        "annual_leave|年假|年休假|vacation|holiday sick_leave|病假|sickness maternity_leave|产假|maternity"
        " paternity_leave|陪产假|护理假|paternity parental_leave|育儿假|parental study_leave|考试假|学习假|study"
        " marriage_leave|婚假|wedding|marriage bereavement_leave|丧假|bereavement|compassionate personal_leave|事假"
        " nursing_leave|哺乳假|breastfeeding sabbatical|学术假|长休假",
        r"\bkinds of leave\b",
        cased=False,
    ),
    _kind(
        "colour",
        "red|红色|红 green|绿色|绿 blue|蓝色|蓝 yellow|黄色|黄 orange|橙色|橙 purple|紫色|紫|violet white|白色|白"
        " grey|灰色|灰|gray pink|粉色|粉",
        cased=False,
    ),
    _kind(
        "meal", "breakfast|早餐|早饭 lunch|午餐|午饭|中餐 dinner|晚餐|晚饭|supper", r"\bmeals?\b|每餐|三餐", cased=False
    ),
    _kind("time", " ".join(f"{year}|{year}年" for year in range(1960, 2036)), _TIMES, timed=True),
    _kind(
        "time",
        "Q1|一季度|first_quarter|1季度 Q2|二季度|second_quarter|2季度 Q3|三季度|third_quarter|3季度"
        " Q4|四季度|fourth_quarter|4季度",
        _TIMES,
        timed=True,
    ),
    _kind(
        "time",
        " ".join(f"{month}|{number}月|{month[:3]}" for number, month in enumerate(MONTHS.split("|")[:12], 1)),
        _TIMES,
        timed=True,
    ),
    _kind(
        "time",
        "Monday|周一|星期一 Tuesday|周二|星期二 Wednesday|周三|星期三 Thursday|周四|星期四 Friday|周五|星期五"
        " Saturday|周六|星期六 Sunday|周日|星期日",
        _TIMES,
        timed=True,
    ),
)
