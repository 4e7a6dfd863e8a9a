"""What a measure word asks for: "how heavy" is a weight, 多少钱 is a price, whatever a table calls its column."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measure:
    """`asks` is met in questions, `named` in column headers and sentences, `units` behind a number."""

    asks: re.Pattern[str]
    named: re.Pattern[str]
    units: re.Pattern[str]


_METRES = (
    r"(?:km|cm|mm|m|met(?:er|re)s?|kilomet(?:er|re)s?|miles?|feet|foot|ft|inch(?:es)?|公里|千米|厘米|毫米|米|英里|里)"
)
_TIME = (
    r"(?:years?|months?|weeks?|(?:working |business |calendar )?days?|hours?|hrs?|h|minutes?|mins?|seconds?|s|ms"
    r"|年|[个個]?月|周|週|[个個]?星期|[个個]?(?:工作)?[天日]|[个個]?小[时時]|分[钟鐘]?|毫?秒)"
)
_MONEY = r"(?:dollars?|euros?|pounds?|usd|eur|gbp|cny|yuan|rmb|cents?|[万萬亿億]?(?:元|美元|欧元|人民币))"


def _measure(asks: str, named: str, units: str) -> Measure:
    number = r"(?:\d|[一二三四五六七八九十百千万两兩半])"
    words = r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million)"
    # A unit in Latin letters ends where they do; one in Chinese may be followed by anything.
    behind = rf"(?:{number}|{words})[ -]?{units}(?![a-z])"
    return Measure(*(re.compile(each, re.IGNORECASE) for each in (asks, named, behind)))


MEASURES = (
    _measure(
        r"\bhow heavy\b|\b(?:heavi|light)e(?:st|r)\b|[最更][重轻輕]|\b(?:how much|what) (?:do|does|did) .+\bweigh"
        r"|多重|几斤|多少(?:公斤|千克|斤|吨)|[轻輕重]多少",
        r"\bweigh(?:t|s|ed)?\b|\bmass\b|\bheavy\b|重量|[净淨毛自体體]重|(?<![严嚴])重(?=\W|\d|\Z)",
        r"(?:kg|g|mg|t|lbs?|pounds?|ounces?|oz|tons?|tonnes?|kilograms?|kilos?|grams?|公斤|千克|克|斤|吨|噸)",
    ),
    _measure(
        r"\bhow (?:tall|high)\b|\btalle(?:st|r)\b|更高|多高",
        r"\bheights?\b|\btall\b|\bhigh\b|\belevation\b|\baltitude\b|高度|身高|海拔|高(?=\W|\d|\Z)",
        _METRES,
    ),
    _measure(
        r"\bhow often\b|多久.{0,6}[一1]次|多[长長][时時][间間].{0,6}[一1]次|每隔多|频率|頻率",
        r"\binterval|\bfrequency\b|\bevery\b|\bper\b|\btimes\b|\bonce\b|\btwice\b"
        r"|\bdaily\b|\bweekly\b|\bmonthly\b|\byearly\b|\bannually\b|周期|週期|频率|頻率|间隔|間隔|每",
        _TIME,
    ),
    _measure(
        r"\bhow long (?:do|does|did|will|would|can|may|must|should|have|has|is it)\b|\bhow long\b"
        r"|\bhow many (?:days?|weeks?|months?|years?|hours?|minutes?|seconds?)\b|多久|多[长長][时時]?[间間]?"
        r"|[几幾多少][个個]?(?:工作)?(?:天|日|小[时時]|分[钟鐘]|年|[个個]月|周|星期)",
        r"\bdurations?\b|\btime\b|\bperiods?\b|\bdays?\b|\bhours?\b|\bterm\b|\blengths?\b|\blong\b|\bwarranty\b"
        r"|[时時][长長间間]|期限|天[数數]|周期|[时時]限|有效期|保修|[长長]度|全[长長]|[长長](?=\W|\d|\Z)",
        rf"(?:{_TIME}|{_METRES})",
    ),
    _measure(
        r"\bhow far\b|\b(?:far|fur)the(?:st|r)\b|[最更][远遠]|多[远遠]|[续續]航",
        r"\brange\b|\bdistance\b|\baway\b|\bfar\b|距离|距離|[续續]航|里程|航程|射程|相距",
        _METRES,
    ),
    _measure(
        r"\bhow wide\b|\bwide(?:st|r)\b|[最更][宽寬]|多[宽寬]",
        r"\bwidth\b|\bwide\b|\bdiameter\b|[宽寬]度|[宽寬](?=\W|\d|\Z)|直径",
        _METRES,
    ),
    _measure(r"\bhow deep\b|\bdeepe(?:st|r)\b|[最更]深|多深", r"\bdepth\b|\bdeep\b|深度|深(?=\W|\d|\Z)", _METRES),
    _measure(r"\bhow thick\b|多厚", r"\bthick(?:ness)?\b|厚度|厚(?=\W|\d|\Z)", _METRES),
    _measure(
        r"\bhow old\b|几岁|幾歲|多大(?:年[纪龄]|岁数|了)|多少岁|年[龄齡]",
        r"\bages?\b|\bold\b|\bborn\b|\bfounded\b|\bbuilt\b|年[龄齡]|[岁歲]|出生|成立|建于|生于",
        r"(?:years?|months?|年|[岁歲]|周岁)",
    ),
    _measure(
        r"\bhow (?:fast|quick(?:ly)?)\b|\b(?:fast|slow)e(?:st|r)\b|[最更][快慢]|多快",
        r"\bspeed\b|\bvelocity\b|\bfast\b|\bthroughput\b|\blatency\b|\btime\b|速度|速率|[时時]速|[转轉]速|吞吐|延[迟遲]",
        r"(?:km/h|mph|kph|m/s|rpm|knots?|[a-z]{0,6}(?:/s|ps)|ms|s|seconds?|minutes?|公里|千米|米|秒|分[钟鐘]|[转轉])",
    ),
    _measure(
        r"\bhow (?:expensive|cheap|pricey|costly)\b|\bcheape(?:st|r)\b|\bmo(?:st|re) expensive\b|[最更](?:便宜|[贵貴])"
        r"|\bhow much (?:is|are|was|were)\b|\bhow much .*\b(?:cost|pay|charge)"
        r"|\bwhat (?:do|does|did|will|would) .+ cost\b|\b(?:price|cost)s? of\b"
        r"|多少[钱錢元]|多[贵貴]|什么价|几[块元钱]|[价價][格钱錢]",
        r"\bpric(?:e|es|ed|ing)\b|\bcosts?\b|\bfees?\b|\bcharges?\b"
        r"|(?<!flow )(?<!data )(?<!baud )(?<!frame )(?<!error )(?<!refresh )(?<!sampling )\brates?\b|\bamount\b"
        r"|[价價]格|[单單售定报報]?[价價](?=\W|\d|\Z)|[价價]|[费費]用?|金[额額]|租金|[补補][贴貼]|[$€£¥￥]",
        _MONEY,
    ),
    _measure(
        r"\bhow (?:big|large)\b|\bwhat size\b|多大(?!年|岁|了)|多少平",
        r"\bsizes?\b|\bareas?\b|\bcapacity\b|\bvolume\b|\bdimensions?\b|面[积積]|大小|尺寸|容[量积積]|[规規]模|[体體][积積]",
        rf"(?:{_METRES}|l|lit(?:er|re)s?|[kmgt]i?b|acres?|hectares?|square|平方|亩|公[顷頃]|升|[xX×])",
    ),
    _measure(
        r"\bhow (?:hot|warm|cold)\b|多[热熱冷]|多少度|几度",
        r"\btemperatures?\b|\bhot\b|\bheated\b|温度|溫度|气温|氣溫|[℃℉]",
        r"(?:°? ?[cf]|degrees?|[℃℉]|度|摄氏度)",
    ),
    _measure(
        r"\bhow much (?:does|do|can|will) .*\bhold|能装多少|能裝多少|能容纳|能容納",
        r"\bcapacity\b|\bvolume\b|\bholds?\b|容[量积積]|容[纳納]",
        r"(?:l|ml|lit(?:er|re)s?|gallons?|[kmgt]i?b|people|升|毫升|人|名|件)",
    ),
    _measure(
        r"\bhow powerful\b|多大功率",
        r"\bpower\b|\bmotor\b|\bwattage\b|\boutput\b|功率",
        r"(?:[kmg]?w|hp|watts?|horsepower|千?瓦|马力)",
    ),
    _measure(
        r"\bhow (?:loud|noisy|quiet)\b|\b(?:loud|nois|quiet)i?e(?:st|r)\b|多响|多吵|[最更](?:响|吵|安静|静音)",
        r"\bnoise\b|\bloud\b|\bsound\b|噪音|噪声",
        r"(?:db|decibels?|分贝)",
    ),
)


def measures(question: str) -> list[Measure]:
    """Those that the question asks for, the most telling first; often none."""
    return [measure for measure in MEASURES if measure.asks.search(question)]
