"""How Chinese asks for an attribute, and parts of what tells one: all in simplified characters."""

from __future__ import annotations

NUMBER = r"(?:\d|[一二两三四五六七八九十百千万亿数几余])"
HOW_MANY = r"(?:多少|几)(?:[个名位]?人|[个名位]?(?=\W*\Z))"
"""Of the noun before it, not of another: 员工有多少, but not 员工有几天假."""
WHO = r"(?:谁|何人|哪[位个]人?|哪家\w{0,4}?|什么人)"
LIFE = r"[(（][^()（）]{0,40}\d{3,4}年?[^()（）]{0,30}[-–—~～至][^()（）]{0,60}[)）]"
"""(1903年5月2日－1989年)。"""
_LENGTH = r"(?:公里|千米|厘米|毫米|公分|公尺|英[里尺寸]|[米尺寸丈里]|[kcm]?m(?![a-zA-Z]))"
SIZE = (
    rf"\d\s?[x×*X]\s?\d|{NUMBER}{_LENGTH}[乘见]"
    r"|(?<![长高宽深厚])(?<![长高宽深厚][约为达度有近])(?<![长高宽深厚]度为)(?<![\d.一二三四五六七八九十百千万余约])"
    rf"{NUMBER}[\d.,百千万余多]*\s?{_LENGTH}(?![长高宽深厚外远以])"
)
"""A length that is not said to be that of another side."""
_ASK = r"(?:多少|几|什么|谁|哪|何|多[长久大高重远]|怎么|如何|怎样|吗|有没有|是不是|怎)"
_BEFORE = r"(?:多少|什么|谁是|是谁|哪[一家个些位种所]?|几[个位名家种]?|有没有|是否有|有无)"
_BETWEEN = (
    r"[ 是为有在叫要能会可以需应该一共总大概约到底究竟目前现每年月天次个具体主通常般都又由属于算达付收交定给请休放发用"
    r"享受规采取设写做办得了过被把维护承担最多少长高低]{0,8}"
)
"""品牌是谁的, not 品牌策划会谁参加."""


def asks(nouns: str, *others: str) -> str:
    """What asks for one of `nouns`: what asks stands shortly behind or before it, or nothing; or one of `others`."""
    named = (rf"(?:{nouns})(?:{_BETWEEN}{_ASK}|[呢?？]*\Z)", rf"{_BEFORE}[^，。,的]{{0,4}}(?:{nouns})")
    return "|".join((*(named if nouns else ()), *others))


def counted(nouns: str, *others: str) -> str:
    """A number in one sentence with one of `nouns`, or one of `others`."""
    return "|".join((rf"{NUMBER}[^。！？\n]{{0,20}}(?:{nouns})", rf"(?:{nouns})[^。！？\n]{{0,20}}{NUMBER}", *others))
