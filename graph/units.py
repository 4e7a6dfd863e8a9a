"""Units of measure and money, English and Chinese, and how much of what each is."""

from __future__ import annotations

import re
from decimal import Decimal

_UNITS = {
    "am": r"a\.?m\b\.?",
    "pm": r"p\.?m\b\.?",
    "yen": "yen|jpy|日元|日圆",
    "year": "years?|yrs?|周年|年",
    "month": "months?|个月|個月",
    "week": "weeks?|个星期|星期|周|週",
    "day": "(?:(?:working|business|calendar) )?days?|个?工作日|天|日",
    "hour": "hours?|hrs?|h|个小时|個小時|小时|小時",
    "minute": "minutes?|mins?|分钟|分鐘",
    "second": "seconds?|secs?|s|秒钟|秒",
    "millisecond": "milliseconds?|msecs?|ms|毫秒",
    "percent": "percent|per cent|%",
    "times": "times|次",
    "fold": "fold|倍",
    "kw": "kilowatts?|kw|千瓦",
    "mw": "megawatts?|mw|兆瓦",
    "gw": "gigawatts?|gw",
    "w": "watts?|w|瓦",
    "kwh": "kwh|千瓦时",
    "kg": "kilograms?|kilos?|kgs?|公斤|千克",
    "g": "grams?|g|克",
    "mg": "milligrams?|mg|毫克",
    "pound": "pounds?|lbs?|磅",
    "stone": "stones?",
    "ounce": "ounces?|oz|盎司",
    "t": "tonnes?|tons?|吨|噸",
    "km": "kilomet(?:er|re)s?|km|公里|千米",
    "m": "met(?:er|re)s?|m|米",
    "cm": "centimet(?:er|re)s?|cm|厘米",
    "mm": "millimet(?:er|re)s?|mm|毫米",
    "mile": "miles?|英里",
    "foot": "feet|foot|ft|英尺",
    "inch": "inch(?:es)?|英寸",
    "litre": "lit(?:er|re)s?|l|升",
    "ml": "millilit(?:er|re)s?|ml|毫升",
    "b": "bytes?|字节",
    "kb": "kb|kilobytes?",
    "mb": "mb|megabytes?",
    "gb": "gb|gigabytes?",
    "tb": "tb|terabytes?",
    "hz": "hz",
    "khz": "khz",
    "mhz": "mhz",
    "ghz": "ghz",
    "v": "volts?|v|伏",
    "a": r"amps?|amperes?|a(?![ \u00a0][a-z])|安培",
    "bar": "bars?",
    "mbar": "millibars?|mbar|毫巴",
    "psi": "psi",
    "kpa": "kpa|千帕",
    "mpa": "mpa|兆帕",
    "celsius": "°c|摄氏度|攝氏度|degrees celsius",
    "fahrenheit": "°f|华氏度|degrees fahrenheit",
    "db": r"db(?:\(a\))?",
    "usd": "dollars?|usd|美元",
    "eur": "euros?|eur|欧元",
    "sterling": "gbp|英镑",
    "hkd": "hkd|港元|港币",
    "yuan": "yuan|rmb|cny|元",
}
_UNIT = re.compile(
    r"[ \u00a0]?-?(?:" + "|".join(f"(?P<{name}>{forms})" for name, forms in _UNITS.items()) + r")(?![a-z0-9])"
)
_SIZES = {
    name: (what, Decimal(size))
    for what, sizes in {
        "mass": {"mg": "0.001", "g": "1", "kg": "1000", "t": "1000000"},
        "length": {"mm": "0.001", "cm": "0.01", "m": "1", "km": "1000"},
        "time": {
            "millisecond": "0.001",
            "second": "1",
            "minute": "60",
            "hour": "3600",
            "day": "86400",
            "week": "604800",
        },
        "age": {"month": "1", "year": "12"},
        "power": {"w": "1", "kw": "1000", "mw": "1000000", "gw": "1000000000"},
        "frequency": {"hz": "1", "khz": "1000", "mhz": "1000000", "ghz": "1000000000"},
        "pressure": {"mbar": "0.1", "kpa": "1", "bar": "100", "mpa": "1000"},
        "volume": {"ml": "1", "litre": "1000"},
    }.items()
    for name, size in sizes.items()
}
"""What a unit measures, and how much of it: 38 kg are 38,000 g."""
POUNDS = {"pound", "sterling"}
"""By the word alone they are either."""


def unit_behind(text: str) -> str | None:
    """The unit with which a lower-case text begins, behind a number."""
    match = _UNIT.match(text)
    return match.lastgroup if match else None


def size(value: Decimal, unit: str | None) -> tuple[str, Decimal] | None:
    """What so many of a unit measure, and how much of it; None for units that nothing is converted to or from."""
    if unit not in _SIZES:
        return None
    what, one = _SIZES[unit]
    return what, value * one
