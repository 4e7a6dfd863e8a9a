r"""Quantities of the package siunitx as they are printed: ``\SI{3}{\metre\per\second}`` is "3 m/s"."""

from __future__ import annotations

import re

from chunking.loaders.latex_groups import OPTION

_BRACED = r"\{(?:[^{}]|\{[^{}]{0,40}\}){0,200}\}"
_QUANTITY = re.compile(
    r"\\(?:(?P<range>(?:SI|qty|num)(?:range|list))|(?P<quantity>SI|qty)|(?P<number>num|ang)|(?P<unit>si|unit))"
    rf"\s*{OPTION}\s*(?P<groups>{_BRACED}(?:\s*{_BRACED}){{0,2}})"
)


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_GROUP = re.compile(_BRACED)
_NAMES = _pairs(
    """
    metre m meter m gram g kilogram kg second s ampere A kelvin K mole mol candela cd hertz Hz newton N pascal Pa
    joule J watt W coulomb C volt V farad F ohm Ω siemens S weber Wb tesla T henry H lumen lm lux lx becquerel Bq
    gray Gy sievert Sv katal kat celsius °C degreeCelsius °C degree ° arcminute ′ arcsecond ″ percent % litre L liter L
    minute min hour h day d hectare ha tonne t electronvolt eV dalton Da decibel dB byte B radian rad angstrom Å
    molar mol/L
    """
)
_PREFIXES = _pairs(
    """
    yocto y zepto z atto a femto f pico p nano n micro µ mu µ milli m centi c deci d deca da hecto h kilo k mega M
    giga G tera T peta P exa E kibi Ki mebi Mi gibi Gi tebi Ti
    """
)
_POWERS = {"squared": "^2", "cubed": "^3", "square": "^2", "cubic": "^3"}
_WORD = re.compile(r"\\([A-Za-z]+)|[.~·]|([^\\.~·\s]+)")


def with_units(source: str) -> str:
    """Every quantity written out; a unit that is not known keeps its name."""
    return _QUANTITY.sub(_written, source)


def _written(found: re.Match[str]) -> str:
    groups: list[str] = [group[1:-1].strip() for group in _GROUP.findall(found["groups"])]
    if found["unit"]:
        return _unit(groups[0])
    if found["number"]:
        return groups[0] + ("°" if found["number"] == "ang" else "")
    if found["range"]:
        ends = groups[:2] if found["range"].endswith("range") else groups[0].split(";")
        units = groups[2:] if found["range"].endswith("range") else groups[1:]
        return ("–" if found["range"].endswith("range") else ", ").join(ends) + _after(units)
    return groups[0] + _after(groups[1:])


def _after(units: list[str]) -> str:
    unit = _unit(units[0]) if units and units[0] else ""
    return unit if unit[:1] in ("%", "°") and unit != "°C" else f" {unit}".rstrip()


def _unit(source: str) -> str:
    r"""``\kilo\gram\per\cubic\metre`` as kg/m^3."""
    written, joint, prefix, power = "", "", "", ""
    for name, plain in _WORD.findall(source):
        if name == "per":
            joint = "/"
        elif name in _PREFIXES:
            prefix = _PREFIXES[name]
        elif name in ("square", "cubic"):
            power = _POWERS[name]
        elif name in _POWERS:
            written += _POWERS[name]
        elif name or plain:
            written += (
                (joint or "·" if written else joint.replace("/", "1/")) + prefix + _NAMES.get(name, name or plain)
            )
            written += power
            joint = prefix = power = ""
    return written
