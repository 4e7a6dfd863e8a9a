"""What a Chinese question is about, and what a follow-up puts in its place."""

from __future__ import annotations

import re

from graph import referents_zh
from graph.adverbials_zh import placed
from graph.closed_kinds import of_a_kind, same_kind
from graph.counted import of_other_member
from graph.types import Sought
from retrieval.lexical.tokenizer import simplified

_ASKING = re.compile(
    r"(?:百分之)?(?:多少|几|幾|哪一?|什么|什麼|何)(?:[个個天年月日名种種次本位点點层層件台元块岁歲座家款条條页頁人钱錢])?|谁|誰|多[大长長高久远遠快深宽寬重]"
)
_HOW_MUCH = re.compile(r"多少|[几幾]|多[大长長高久远遠快深宽寬重]")
_NOMINAL = re.compile(r"n|eng|x|[abzjstqlifg]|vn|m|ad")
_CUTS = frozenset("每最可能要需应應由在是有用多几幾什哪谁誰何怎如为為叫会會被建")
_FUNCTION = frozenset("的是有在和与與由了吗嗎每及为為叫要能会會用到从從")
_PLACES = frozenset("在于於到")
_ATTRIBUTE = re.compile(
    r"(?:期|期限|量|积|積|价|價|价格|价钱|费用?|率|度|[体體身全]长|[体體身全]長|宽|寬|[身]高|重|时间|時間|地址|端口|名称|名稱"
    r"|[人天次]?数|數|日期|规格|材质|颜色|功率|电压|尺寸|寿命|值|大小|位置|作者|负责人|编号|型号|上限|下限|电话|分机|邮箱|邮编|网址|传真|地点"
    r"|原因|噪音|噪声|压力|电流|押金|方法|条件|流程|总部|人口|首都|化学式|用途|缺点|优点|扬程|年龄|成本|产地|厂家)\Z"
)
_POINTER = re.compile(
    r"(?<!其)[它他她牠]们?(?:俩)?|(?<![应應活])[该該](?:[\u3400-\u9fff]{2})?|那[里裡儿兒边邊]|其(?=[\u3400-\u9fff])(?!中|他|它)"
)
_THIS = re.compile(
    r"[這这那][个個份种種家座本部款台位条條项項]?(?=[\u3400-\u9fff])(?:公司|报纸|報紙|产品|設備|设备|城市|学校|學校|方法|系统|机构)?"
)
_TIE = re.compile(r"\A(?:那么?|那麼|还有|還有|以及)?[\s，,]*")
_END = re.compile(r"[呢吧啊呀嘛\s?？。.!！]+\Z")


def sought(question: str) -> Sought:
    """Whether the first pronoun of a question means a person or a thing."""
    pointer = _POINTER.search(question)
    said = pointer[0] if pointer else ""
    if said in ("他", "她"):
        return "person"
    return "thing" if said.startswith(("它", "牠")) else "either"


def topic(question: str, kind: Sought = "either", said: str = "") -> str:
    """What 它 means after the question, of the kind that is sought: R5 of R5 的售价是多少; empty where it is not plain.

    What is said of it tells nothing in Chinese.
    """
    about = _topic(question)
    if kind == "person":
        return referents_zh.person(question, about)
    return referents_zh.thing(question, about) if kind == "thing" else about


def _topic(question: str) -> str:
    until = _until(question)
    return "" if not _END.sub("", question[until:]) else _owner(question[:until])


def attribute(fragment: str) -> bool:
    """Whether a fragment names what things have, as a price, rather than a thing."""
    return _ATTRIBUTE.search(_END.sub("", fragment)) is not None


def with_topic(question: str, about: str) -> str | None:
    """The question with `about` for what points at it, or before it where it says nothing of what it is about."""
    if not about:
        return None
    pointer = _POINTER.search(question) or _THIS.search(question)
    if pointer is not None:
        return f"{question[: pointer.start()]}{about}{question[pointer.end() :]}"
    own = _TIE.sub("", question)
    begins = _ASKING.search(own)
    return f"{about}{own}" if begins is not None and _until(own) <= 4 else None


def in_place(anchor: str, rest: str) -> tuple[str, bool] | None:
    """`anchor` with what the fragment `rest` names in the place of its like, and whether that is sure."""
    named = _END.sub("", _TIE.sub("", rest))
    owner = named.endswith("的")
    named = named.removesuffix("的").strip()
    if not named:
        return None
    pointer = _POINTER.match(named) or re.match(r"[這这那][个個]", named)
    if pointer is not None:
        about, bare = topic(anchor, sought(named)), named[pointer.end() :].removeprefix("的")
        return (f"{about}的{bare}是多少？", True) if about and bare else None
    if asked := _asked_of(anchor, named):
        return asked, True
    return _by_kind(anchor, named) or _of_the_subject(anchor, named, owner=owner)


def _asked_of(anchor: str, named: str) -> str:
    """2号线的长度 after a question about line 1."""
    of_member = of_other_member(anchor, named)
    if of_member is not None and len(of_member.about) <= _until(of_member.whole):
        return f"{of_member.about}的{of_member.asked}是多少？"
    return f"{named}是多少？" if "的" in named and _ATTRIBUTE.search(named) else ""


def _by_kind(anchor: str, named: str) -> tuple[str, bool] | None:
    if (other := same_kind(anchor, named)) and _covered(other[1], anchor):
        return other[0], True
    if adverbial := placed(anchor, named):
        return adverbial
    if found := _alike(anchor, named):
        return f"{anchor[: found[0]]}{named}{anchor[found[1] :]}", True
    return None


def _of_the_subject(anchor: str, named: str, *, owner: bool) -> tuple[str, bool] | None:
    """`owner`: it was said with 的, so it is no attribute."""
    until = _until(anchor)
    about = anchor[:until].strip()
    if not about:
        acted = re.match(r"\W*(?:谁|誰|什么|什麼)[\u3400-\u9fff]{1,2}了?", anchor)
        return (f"{anchor[: acted.end()]}{named}？", True) if acted else None
    compound = _ATTRIBUTE.search(about) if "的" not in about else None
    of, kind = (about[: compound.start()], compound[0]) if compound else ("", "")
    if _ATTRIBUTE.search(named) and not owner:
        if not compound:
            of = _owner(about)
        return f"{of}的{named}是多少？" if of and len(kind) != 1 else f"{named}是多少？", False
    # 老师押金 for 学生押金.
    if len(kind) > 1 and (of or _HOW_MUCH.search(anchor[until:])):
        return f"{named}{'' if of else '的'}{kind}{anchor[until:]}", False
    attribute = about[len(_owner(about)) :]
    beyond = attribute if attribute.lstrip().startswith("的") else ""
    return f"{named}{beyond}{anchor[until:]}", False


def _until(question: str) -> int:
    """Where what a question is about ends: before what asks, or is said of it. At 0 it comes later."""
    import rjieba

    plain = simplified(question)
    if len(plain) != len(question):
        plain = question
    asking = _ASKING.search(question)
    limit, at = asking.start() if asking else len(question), 0
    before = 0
    for word, tag in rjieba.tag(plain):
        if at >= limit:
            break
        # 生活 of 生活在哪里 is what is done there.
        at = before if word in _PLACES and before else at
        owns = word == "的" and at and plain[at - 1] != "的"
        if not owns and (word[0] in _CUTS or not _NOMINAL.match(tag)) and not (at == 0 and tag in ("r", "m", "v")):
            break
        before, at = at if tag == "vn" else 0, at + len(word)
    at = min(at, limit)
    said = question[:at].rstrip()
    return len(said[:-1] if said.endswith("的") else said)


def _owner(about: str) -> str:
    """R5 of R5 的售价; else all of it."""
    owner, of, attribute = about.rpartition("的")
    return owner.strip() if of and _ATTRIBUTE.search(attribute) else about.strip()


def _covered(beside: str, anchor: str) -> bool:
    return all(character in anchor or not character.strip() or character == "份" for character in beside)


def _alike(anchor: str, named: str) -> tuple[int, int] | None:
    """Where `anchor` has a word that ends like `named`: 年假 for 病假. The longest common ending counts."""
    if len(named) < 2 or not "\u3400" <= named[-1] <= "\u9fff":
        return None
    if negated := re.search(rf"[副非前未无無不]{re.escape(named)}", anchor):
        return negated.span()
    masked = _ASKING.sub(lambda match: "\0" * len(match[0]), anchor)
    for length in range(len(named) - 1, 0, -1):
        ending = named[-length:]
        ends = [match.end() for match in re.finditer(re.escape(ending), masked)]
        if not ends:
            continue
        end = ends[-1]
        start = end
        while start > 0 and end - start < len(named) and _of_a_word(masked[start - 1]):
            start -= 1
        # No number is half replaced.
        if start > 0 and re.match(r"[0-9A-Za-z.]", masked[start - 1]):
            continue
        if end - start > length and not any(match[0] == anchor[start:end] for _, match in of_a_kind(anchor)):
            return start, end
    return None


def _of_a_word(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff" and character not in _FUNCTION
