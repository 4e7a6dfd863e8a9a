"""What an English question is about, and what a follow-up puts in its place."""

from __future__ import annotations

import re

from graph import referents_en
from graph.adverbials_en import placed, says_where
from graph.closed_kinds import same_kind
from graph.support import content_words
from graph.types import Sought

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
_LEADING = re.compile(
    r"\A(?:in charge of|responsible for|of|in|on|at|for|from|near|under|over|inside|outside|with)\s+", re.IGNORECASE
)
_PLACE_AT_END = re.compile(r"\b(?:in|of|at|on|for) ((?:the|an?) [\w'’ -]{2,40}|[A-Z][\w'’ -]{2,40})\?*\s*\Z")
_DETERMINER = re.compile(r"\A(?:the|an?|my|our|your|its|their|this|that|these|those)\s+", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"\b(?:price|cost|fee|weight|height|length|width|depth|size|capacity|volume|speed|power|voltage|range|age|date|name"
    r"|warranty|guarantee|deadline|address|colou?r|limit|duration|period|rate|number|amount|default|value|temperature|pressure"
    r"|efficiency|population|area|owner|author|designer|manager|head|leader|capital|purpose|meaning|port|timeout|status"
    r"|lifetime|lifespan|battery life|delivery time|opening hours|hours|salary|budget|version|flow|flow rate|noise"
    r"|current|frequency|resolution|diameter|thickness|density|viscosity|material|torque|mass|phone number)s?\Z",
    re.IGNORECASE,
)
_ONE = re.compile(r"\s*\bones?\Z", re.IGNORECASE)
_COVERS = re.compile(
    r"(?:the )?(?:warranty|guarantee|insurance|contract|licen[cs]e|policy|lease|subscription)\Z", re.IGNORECASE
)
_COVERING = re.compile(
    r"\b(?:cover|exclude|include|expire|begin|start|end|run out|last|void|apply|extend|renew)(?:s|ed)?\b"
)
_OWNED = re.compile(r"\A(?P<owned>its|their|his|her)\s+(?P<what>.+)\Z", re.IGNORECASE)
_ASKS_IDENTITY = re.compile(r"\A\W*(?:who|what)(?:'s|\s+(?:is|are|was|were))\b", re.IGNORECASE)
_WHICH = re.compile(r"\A\W*(?:which|what)\s+((?:[\w-]+\s)?[a-z]+s)\s+([a-z]+\s.+?)[?.!\s]*\Z", re.IGNORECASE)
_WHAT = re.compile(r"(?P<what>(?:[\w-]{1,40} ){0,2}[\w-]{1,40})(?=\W*\Z)")
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
    ended = ""
    for number, token in enumerate(tokens):
        word = token[0]
        ended = word
        if _STOPS.match(word) or (kept and _PARTICIPLE.match(word) and not _DETERMINER.match(f"{kept[-1][0]} ")):
            break
        if kept and _PREPOSITION.match(word) and (aux is None or number + 1 == len(tokens)):
            break
        if modal and kept and not _DETERMINER.match(f"{kept[-1][0]} ") and _acts(tokens, number):
            break
        kept.append(token)
        ended = ""
    # What "does" leaves to the end is a verb, of whatever name.
    helped = modal and aux is not None and not aux[1].lower().startswith("ha")
    if helped and (verb := _unknown_verb(tokens, kept)):
        kept = kept[:verb]
        ended = "verb"
    acts = len(kept) > 1 and kept[-1][0].islower() and not _DETERMINER.match(f"{kept[-2][0]} ")
    if helped and acts and (ended in ("", "?", "!") or _stranded(tokens, kept)):
        kept.pop()
    while kept and _PREPOSITION.match(kept[-1][0]):
        kept.pop()
    if not kept or len(kept) > _LONGEST or not content_words(question[kept[0].start() : kept[-1].end()]):
        return None
    return kept[0].start(), kept[-1].end()


def _acts(tokens: list[re.Match[str]], number: int) -> bool:
    """Whether a token is a verb: a known one, or what has an object behind it, as in "did Ann Reed invent the lamp"."""
    word = tokens[number][0]
    if _VERB.match(word):
        return True
    behind = tokens[number + 1][0] if number + 1 < len(tokens) else ""
    return word.islower() and not _PREPOSITION.match(word) and _DETERMINER.match(f"{behind} ") is not None


def _unknown_verb(tokens: list[re.Match[str]], kept: list[re.Match[str]]) -> int:
    """Where the verb stands in front of "in 2023" when no verb is known and none can stand at the end; else 0."""
    *_, before, last = ["", "", *(token[0] for token in tokens if token[0] not in "?!.")]
    at = next((number for number, token in enumerate(kept) if _PREPOSITION.match(token[0])), 0)
    ends = last.islower() and not _DETERMINER.match(f"{before} ") and not _PREPOSITION.match(before)
    if at < 2 or ends or any(_VERB.match(token[0]) for token in tokens):
        return 0
    plain = kept[at - 1][0].islower() and not _DETERMINER.match(f"{kept[at - 2][0]} ")
    return at - 1 if plain else 0


def _stranded(tokens: list[re.Match[str]], kept: list[re.Match[str]]) -> bool:
    """ "What does it swim with?" """
    behind = [token[0] for token in tokens[len(kept) :] if token[0] not in "?!"]
    return len(behind) == 1 and behind[0].lower() in ("with", "by", "without", "about", "to", "against")


def sought(question: str) -> Sought:
    """Whether the first pronoun of a question means a person or a thing."""
    pronoun = _PRONOUN.search(question)
    said = pronoun[0].lower() if pronoun else ""
    if said in ("he", "him", "his", "she", "her"):
        return "person"
    return "thing" if said in ("it", "its") else "either"


def topic(question: str, kind: Sought = "either", said: str = "") -> str:
    """What "it" in `said` means after the question, of the kind that is sought; empty where that is not plain."""
    about, where = _topic(question), subject(question)
    if kind == "person":
        whole = _LEADING.sub("", question[slice(*where)]) if where else ""
        return referents_en.person(question, about, "" if _PRONOUN.search(whole) else whole)
    if kind != "thing":
        return about
    of = re.match(r"(.+?)\s+(?:of|for)\s+.+\Z", question[slice(*where)]) if where else None
    if where and _COVERING.search(said) and (_COVERS.match(about) or (of and _COVERS.match(of[1]))):
        return question[slice(*where)]
    return referents_en.thing(question, about, _VERB, _PARTICIPLE)


def _topic(question: str) -> str:
    where = subject(question)
    if where is None:
        place = _PLACE_AT_END.search(question)
        return place[1] if place else ""
    said = question[slice(*where)]
    if _LEADING.match(said) and (which := _WHICH.match(question)):
        return f"the {which[1]} that {which[2]}"
    said = _LEADING.sub("", said)
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
    if pronoun["owned"] and " who " in about and (what := _WHAT.match(question, pronoun.end() + 1)):
        return f"{question[: pronoun.start()]}the {what['what']} of {about}{question[what.end() :]}"
    ending = ("'" if re.search(r"(?:\A|\s)[a-z]+s\Z", about) else "'s") if pronoun["owned"] else ""
    return question[: pronoun.start()] + about + ending + question[pronoun.end() :]


def in_place(anchor: str, rest: str) -> tuple[str, bool] | None:
    """`anchor` with what the fragment `rest` names in the place of its like, and whether that is sure."""
    rest = rest.strip().rstrip("?.! ")
    if owned := _OWNED.match(rest):
        return _of_its_own(anchor, topic(anchor, sought(f"is {rest}")), owned["what"])
    of_it = placed(anchor, rest, _VERB, _PARTICIPLE)
    # "in the morning" for "at night", preposition and all.
    whole = of_it and of_it[1] and f" {rest.split()[0].lower()} " not in anchor
    alike = None if whole else _alike(anchor, rest)
    if alike or of_it:
        return (alike, True) if alike else of_it
    bare = _DETERMINER.sub("", rest)
    where = subject(anchor) if bare else None
    if bare == rest and (done := _done(anchor, rest, where)):
        return f"{anchor[: done.start()]}{rest}{anchor[done.end() :]}", True
    return None if where is None else _of_the_subject(anchor, where, rest, bare)


def _alike(anchor: str, rest: str) -> str | None:
    """One of a closed kind for another, or the next of the greatest."""
    if (other := same_kind(anchor, rest)) and not content_words(_ONE.sub("", other[1])) - content_words(anchor):
        return other[0]
    if (ordinal := _ORDINAL.match(rest)) and (most := _SUPERLATIVE.search(anchor)):
        return f"{anchor[: most.start()]}{ordinal[1]} {anchor[most.start() :]}"
    return None


def _of_its_own(anchor: str, about: str, what: str) -> tuple[str, bool] | None:
    """ "his ship" after a question about him."""
    where = subject(anchor)
    if not about:
        return None
    if where and not _ASKS_IDENTITY.match(anchor) and about == anchor[slice(*where)] and not _ATTRIBUTE.search(what):
        return _put(anchor, where, f"{about}'s {what}"), True
    return f"{'Who' if referents_en.is_role(what) else 'What'} is {about}'s {what}?", True


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


def _done(anchor: str, rest: str, where: tuple[int, int] | None) -> re.Match[str] | None:
    """What `rest` says is done instead: the last participle, or the verb at once behind the subject."""
    if _PARTICIPLE.match(rest) and (participle := _last_participle(anchor)):
        return participle
    token = _TOKEN.search(anchor, where[1]) if where and _VERB.match(rest) else None
    return token if token and _VERB.match(token[0]) else None


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
    *_, last = said.split()
    if whole is None and says_where(last):
        return f"{rest} {last}"
    if whole is None:
        return f"{rest} of {said}" if _ATTRIBUTE.search(bare) and not _ATTRIBUTE.search(said) else rest
    if _ATTRIBUTE.search(whole[1]) and not _ATTRIBUTE.search(bare):
        return f"{whole[1]} {whole[2]} {rest}"
    return f"{rest} {whole[2]} {whole[3]}"
