"""What an English question is about, and what a follow-up puts in its place."""

from __future__ import annotations

import re

from graph.closed_kinds import same_kind
from graph.support import content_words

_AUX = re.compile(
    r"\b(is|are|was|were|do|does|did|can|could|should|would|will|must|may|has|have|had)(?:n't)?\s+", re.IGNORECASE
)
_ASKS_WHO = re.compile(r"\A\W*(?:who|what|which(?: [\w-]+)?)\s+(?:[a-z]+)\s+(?=\S)", re.IGNORECASE)
# "How do I reset the router?" is about the router.
_DOER = re.compile(r"there\s+(?:any\s+)?(?=\S)|(?:I|we|you|one|people|somebody|someone)\s+\w+\s+(?=\S)")
_TOKEN = re.compile(r"[\w$€£][\w'’.+#/&$%-]*|[^\w\s]")
_STOPS = re.compile(
    r"(?:when|if|that|which|who|and|or|but|to|by|per|than|as|with|without|before|after|during|until|because|while"
    r"|is|are|was|were|be|been|do|does|did|not|[?!,;:])\Z",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"(?:have|need|cost|run|open|close|start|begin|end|last|take|weigh|pay|hold|sell|build|make|use|employ|handle|support"
    r"|work|offer|contain|include|go|come|travel|live|cover|apply|expire|default|connect|write|read|require|allow"
    r"|charge|return|store|mean|stand|leave|arrive|get|give|produce|deliver|measure|consume|operate|receive|earn|own"
    r"|provide|know|keep|serve|play|carry|accept|join|win|lose|move|change|develop|design|look|see|lie|say|become|happen"
    r"|grow|die|differ|depend|occur|belong|listen|send|save|sit|fit)\Z"
)
_PARTICIPLE = re.compile(
    r"(?:[a-z]{2,}ed|built|held|made|kept|sold|given|known|called|written|found|born|set|led|run|shown|paid|sent|won|lost"
    r"|bought|brought|begun|drawn|done|worn|valid|due|available|open|closed|allowed)\Z"
)
_PREPOSITION = re.compile(r"(?:of|in|on|at|for|from|near|under|over|inside)\Z", re.IGNORECASE)
_FRAGMENT_PLACE = re.compile(r"\A(in|on|at|for|from|to|of|with|near|during|by|under)\s+(.+)\Z", re.IGNORECASE)
_PLACE_AT_END = re.compile(r"\b(?:in|of|at|on|for) ((?:the|an?) [\w'’ -]{2,40}|[A-Z][\w'’ -]{2,40})\?*\s*\Z")
_DETERMINER = re.compile(r"\A(?:the|an?|my|our|your|its|their|this|that|these|those)\s+", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"\b(?:price|cost|fee|weight|height|length|width|depth|size|capacity|volume|speed|power|voltage|range|age|date|name"
    r"|warranty|deadline|address|colou?r|limit|duration|period|rate|number|amount|default|value|temperature|pressure"
    r"|efficiency|population|area|owner|author|designer|manager|head|leader|capital|purpose|meaning|port|timeout|status"
    r"|lifetime|lifespan|battery life|delivery time|opening hours|hours|salary|budget|version"
    r"|phone number)s?\Z",
    re.IGNORECASE,
)
_ONE = re.compile(r"\s*\bones?\Z", re.IGNORECASE)
_SUPERLATIVE = re.compile(r"\b(\w+est|most \w+|least \w+)\b")
_ORDINAL = re.compile(r"\A(?:the )?(second|third|fourth|fifth)(?: one)?\Z", re.IGNORECASE)
_PRONOUN = re.compile(
    r"(?<!\w)(?:(?P<owned>its|their|theirs|his|(?<=\w )her(?= \w)|the latter's)"
    r"|(?<!of )(?P<plain>it|they|them|he|him|she|her"
    r"|this one|that one|the latter|those|these"
    r"|(?:this|that)(?=\W*\Z| (?:\w+ed|valid|open|cost|work|mean|happen|take|include)\b)))\b",
    re.IGNORECASE,
)
_NAME_WORD = re.compile(r"[A-Z][\w'’-]*|\w*\d\w*(?:-\w+)*")
_LONGEST = 12


def subject(question: str) -> tuple[int, int] | None:
    """Where what is asked about stands: "the HX-40 Basic" of "How much does the HX-40 Basic cost?"."""
    aux = _AUX.search(question)
    begins = aux or _ASKS_WHO.match(question)
    if begins is None:
        return None
    tokens = list(_TOKEN.finditer(question, begins.end()))
    if (doer := _DOER.match(question, begins.end())) is not None:
        tokens = [token for token in tokens if token.start() >= doer.end()]
    modal = doer is None and aux is not None and aux[1].lower() not in ("is", "are", "was", "were")
    kept: list[re.Match[str]] = []
    for number, token in enumerate(tokens):
        word = token[0]
        if _STOPS.match(word) or (kept and _PARTICIPLE.match(word) and not _DETERMINER.match(f"{kept[-1][0]} ")):
            break
        if kept and _PREPOSITION.match(word) and (aux is None or number + 1 == len(tokens)):
            break
        if modal and kept and _VERB.match(word) and not _DETERMINER.match(f"{kept[-1][0]} "):
            break
        kept.append(token)
    else:
        if modal and len(kept) > 1 and kept[-1][0].islower():
            kept.pop()
    while kept and _PREPOSITION.match(kept[-1][0]):
        kept.pop()
    if not kept or len(kept) > _LONGEST or not content_words(question[kept[0].start() : kept[-1].end()]):
        return None
    return kept[0].start(), kept[-1].end()


def topic(question: str) -> str:
    """What "it" means after the question, empty where that is not plain."""
    where = subject(question)
    if where is None:
        place = _PLACE_AT_END.search(question)
        return place[1] if place else ""
    said = question[slice(*where)]
    if _PRONOUN.search(said):
        return ""
    whole = re.match(r"(.+?)\s+(?:of|for)\s+(.+)\Z", said)
    if whole and _ATTRIBUTE.search(whole[1]):
        return whole[2]
    owned = re.match(r"(.+)['’]s\s+(.+)\Z", said)
    return owned[1] if owned and _ATTRIBUTE.search(owned[2]) else said


def attribute(fragment: str) -> bool:
    """Whether a fragment names what things have, as a price, rather than a thing."""
    return _ATTRIBUTE.search(fragment.rstrip("?.! ")) is not None


def with_topic(question: str, about: str) -> str | None:
    """The question with `about` for its first pronoun; None where it has none."""
    pronoun = _PRONOUN.search(question)
    if pronoun is None or not about:
        return None
    ending = "'s" if pronoun["owned"] else ""
    return question[: pronoun.start()] + about + ending + question[pronoun.end() :]


def in_place(anchor: str, rest: str) -> tuple[str, bool] | None:
    """`anchor` with what the fragment `rest` names in the place of its like, and whether that is sure."""
    rest = rest.strip().rstrip("?.! ")
    if (other := same_kind(anchor, rest)) and not content_words(_ONE.sub("", other[1])) - content_words(anchor):
        return other[0], True
    if (ordinal := _ORDINAL.match(rest)) and (most := _SUPERLATIVE.search(anchor)):
        return f"{anchor[: most.start()]}{ordinal[1]} {anchor[most.start() :]}", True
    if placed := _placed(anchor, rest):
        return placed
    bare = _DETERMINER.sub("", rest)
    if _PARTICIPLE.match(bare) and bare == rest and (done := _last_participle(anchor)):
        return f"{anchor[: done.start()]}{rest}{anchor[done.end() :]}", True
    where = subject(anchor) if bare else None
    return None if where is None else _of_the_subject(anchor, where, rest, bare)


def _of_the_subject(anchor: str, where: tuple[int, int], rest: str, bare: str) -> tuple[str, bool]:
    said, words = anchor[slice(*where)], bare.split()
    if _ONE.search(rest):
        return _put(anchor, where, _other_one(said, _ONE.sub("", bare))), True
    named = all(_NAME_WORD.fullmatch(word) for word in words)
    if named and (renamed := _renamed(said, bare)):
        return _put(anchor, where, renamed), _shape(bare) in {_shape(word) for word in _NAME_WORD.findall(said)}
    shared = re.search(rf"((?:\b[\w-]+ )?)\b{re.escape(words[-1])}\b", said)
    if shared and len(words) > 1:
        before = shared[1] if _DETERMINER.fullmatch(shared[1]) else ""
        return _put(anchor, where, f"{said[: shared.start()]}{before}{bare}{said[shared.end() :]}"), True
    return _put(anchor, where, _other_thing(said, rest, bare)), False


def _put(anchor: str, where: tuple[int, int], said: str) -> str:
    return f"{anchor[: where[0]]}{said}{anchor[where[1] :]}"


def _placed(anchor: str, rest: str) -> tuple[str, bool] | None:
    """ "in Denver" for "in Lyon", also of "the one in Denver"."""
    rest = re.sub(r"\A(?:the )?ones?\s+", "", rest, flags=re.IGNORECASE)
    place = _FRAGMENT_PLACE.match(rest)
    if place is None:
        return None
    found = re.search(
        rf"\b{place[1]}\s+(?:(?:the|an?|my|our)\s+)?(?:[A-Z0-9][\w'’-]*(?:\s+[A-Z0-9][\w'’-]*)*|(?!the\b|an?\b)[\w'’-]+"
        rf"(?:\s+[\w'’-]+(?=\W*\Z))*)",
        anchor,
    )
    if found is None:
        return f"{anchor.rstrip(' ?.!')} {rest}?", False
    return f"{anchor[: found.start()]}{rest}{anchor[found.end() :]}", True


def _last_participle(anchor: str) -> re.Match[str] | None:
    return next((token for token in reversed(list(_TOKEN.finditer(anchor))) if _PARTICIPLE.match(token[0])), None)


def _other_one(said: str, modifiers: str) -> str:
    """ "the weekly pass" of "the monthly pass" and "the weekly one"."""
    phrase, *beyond = re.split(r"\s(?=(?:of|in|on|at|for|from)\s)", said, maxsplit=1)
    determiner = _DETERMINER.match(phrase)
    head = phrase.split()[-1]
    return " ".join([*([determiner[0].strip()] if determiner else []), modifiers, head, *beyond])


def _renamed(said: str, name: str) -> str | None:
    """`said` with `name` for its last name, or for as much of that as differs: HX-40 Basic, Pro gives HX-40 Pro."""
    words = [match for match in re.finditer(r"[\w'’-]+", said) if _NAME_WORD.fullmatch(match[0])]
    alike = [number for number, word in enumerate(words) if _shape(word[0]) == _shape(name)]
    words = words[: alike[-1] + 1] if alike else words
    if not words:
        return None
    run = [words[-1]]
    for word in reversed(words[:-1]):
        if said[word.end() : run[0].start()].strip():
            break
        run.insert(0, word)
    new = name.split()
    texts = [word[0] for word in run]
    if new[0] in texts:
        start = run[texts.index(new[0])].start()
    elif len(run) > len(new) and not _id(new[0]):
        start = run[-len(new)].start()
    else:
        start = run[0].start()
    owned = "'s" if run[-1][0].endswith(("'s", "’s")) and not name.endswith(("'s", "’s")) else ""
    return f"{said[:start]}{name}{owned}{said[run[-1].end() :]}"


def _shape(name: str) -> tuple[bool, bool]:
    word = name.rsplit(maxsplit=1)[-1]
    return _id(word), word.isupper()


def _id(word: str) -> bool:
    return any(map(str.isdigit, word))


def _other_thing(said: str, rest: str, bare: str) -> str:
    """Another attribute of the same, or the same of another thing."""
    owned = re.match(r"(.+['’]s)\s+(.+)\Z", said)
    if owned:
        return f"{owned[1]} {bare}"
    whole = re.match(r"(.+?)\s+(of|for|in|on|at)\s+(.+)\Z", said)
    if whole is None:
        return f"{rest} of {said}" if _ATTRIBUTE.search(bare) and not _ATTRIBUTE.search(said) else rest
    if _ATTRIBUTE.search(whole[1]) and not _ATTRIBUTE.search(bare):
        return f"{whole[1]} {whole[2]} {rest}"
    return f"{rest} {whole[2]} {whole[3]}"
