"""How English asks for an attribute, and parts of what tells one."""

from __future__ import annotations

BY = r"(?-i:\bby (?:the )?[A-Z])"
"""Whose work something is."""
MONEY = (
    r"[$€£¥₹]"
    r"|\b(?:usd|eur|gbp|chf|cny|jpy|dollars?|euros?|pounds?(?! of\b)|cents?|pence|yuan|francs?|yen|rupees?)\b"
)
LIFE = r"\([^()]{0,60}\d{3,4}[^()]{0,30}[-–—~][^()]{0,60}\)|\([^()]{0,20}(?:b\.|d\.|born|died)[^()]{0,60}\)"
"""(3 March 1871 – 19 October 1944)."""
_COUNT = (
    r"(?:\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|dozens?|hundreds?|thousands?"
    r"|millions?|half|couple|several|many|few|no|none|single|one)\b)"
)
VERB = (
    r"(?:do|does|did|is|are|was|were|can|could|may|might|must|will|would|should|shall|have|has|had|work|works|worked|there"
    r"|in|at|on|of|and|or|to|for|with|by|now|currently|today|altogether)\b"
)
"""What may stand behind the noun that is counted."""
OF_WHICH = rf"(?:(?!{VERB}|\w+s )[\w'’-]+ ){{0,3}}"
"""Between "how many" and the noun that it counts: "full-time", but neither a verb nor another noun that is counted."""
_LENGTH = r"(?:km|cm|mm|m|met(?:er|re)s?|kilomet(?:er|re)s?|miles?|feet|foot|ft|inch(?:es)?)"
SIZE = (
    rf"\d ?[x×*] ?\d|{_COUNT} ?{_LENGTH} (?:by|x|×)|{_COUNT}[ -]?{_LENGTH}\b"
    r"(?! ?(?:long|high|tall|wide|deep|thick|above|below|away|from (?:the|here)|apart|of"
    r"|in (?:length|height|width|depth|diameter))\b)"
)
"""A length that is not said to be that of another side."""

_HEADS = (
    r"\b(?:what|which|who|whose|when|where|how (?:long|much|many|high|large|big|old|often|far|wide)|is there|are there"
    r"|tell me|give me|do|does|has|have|can)\b"
)
_PREPOSITIONS = "of|for|in|on|at|to|by|with|from|that|which|when|if|than|as|about|after|before"
_GOES_ON = (
    rf" (?!(?:{_PREPOSITIONS}|is|are|was|were|an?|the|do|does|did|has|have|had|and|or|will|can|could|would|should|may"
    r"|must|i|we|you|it|its|they|he|she|his|her|their|be|been|not|there|so|go|get|gets|come|comes|cost|costs|last|lasts|run|runs"
    r"|valid|paid|included|available|required|charged|offered|granted|given|allowed|set|due|during|under|between|until"
    r"|since|per|within|without|over|like|using|used|each|every|this|then|here|live|use|uses|need|needs|support|supports"
    r"|made|called|named|known|behind|inside|belong|belongs|apply|applies|cover|covers|expires?|ends?|begins?|starts?"
    r"|located|based|look|looks|contain|contains|amount|amounts|win|won|receive|received|follow|followed)\b)[a-z]"
)
"""The price of it, not the price committee."""


def asks(nouns: str, *others: str) -> str:
    """What asks for one of `nouns`: it stands behind what asks, with no preposition between, or alone with what has it
    ("TX-60 warranty", "price of the TX-60"); or one of `others`."""
    between = rf"(?:(?!\b(?:{_PREPOSITIONS})\b)[^?,.;:]){{0,48}}?"
    named = (
        rf"{_HEADS}{between}\b(?:{nouns})\b(?!{_GOES_ON})",
        rf"\A\W*(?:[\w'’-]+ ){{0,4}}?(?:{nouns})\W*\Z",
        rf"\A\W*(?:the )?(?:{nouns}) (?:of|for) [^?.]{{1,50}}\W*\Z",
    )
    return "|".join((*(named if nouns else ()), *others))


def counted(nouns: str, *others: str) -> str:
    """A number shortly before one of `nouns`, or right behind it; or one of `others`."""
    before = rf"{_COUNT}[^.!?\n]{{0,25}}\b(?:{nouns})"
    behind = rf"\b(?:{nouns})\w*[ \t]*(?:[:|=]|is|are|was|of|for)?[ \t]*\d"
    return "|".join((before, behind, *others))
