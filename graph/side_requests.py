"""Requests that chat clients make for themselves: a title, tags, follow-up suggestions, search queries, a summary.

They come as ordinary messages, often with a whole conversation inside. Nothing in them asks for the documents. The
wordings are those that Open WebUI, LibreChat, Cherry Studio, NextChat and LobeChat send by default.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from graph.keywords import keywords
from graph.language import has_han, language_of
from graph.neutral import neutral_line
from graph.types import Language, Turn

SideKind = Literal["title", "tags", "follow_ups", "queries", "completion", "emoji", "summary"]

_READ = 3000
"""Characters at either end of a message in which an instruction is looked for."""
_KEYS: dict[SideKind, str] = {
    "title": "title",
    "tags": "tags",
    "follow_ups": "follow_ups",
    "queries": "queries",
    "completion": "text",
}
"""The key of the JSON object that Open WebUI asks for."""
_TASK = re.compile(r"\A\s*#{2,4}\s*(?:Task|任务|任務)\s*[:：]", re.IGNORECASE)
_TALK = r"(?:chat|conversation|dialogue|对话|對話|会话|會話|聊天)"
_INSTRUCTIONS: tuple[tuple[SideKind, str], ...] = (
    (
        "title",
        r"\b(?:generate|create|write|provide|give|suggest|make)\b[^.?\n]{0,80}\b(?:title|name)\b[^.?\n]{0,60}\b(?:chat"
        r"|conversation|dialogue)\b"
        r"|\bsummari[sz]e\b[^.?\n]{0,60}\b(?:chat|conversation)\b[^.?\n]{0,40}\b(?:title|words or less)\b"
        r"|\banalyze this conversation and provide\b|\bgive this conversation a name\b"
        rf"|(?:将|把|为|給|给|根据|請|请)[^。？?\n]{{0,30}}{_TALK}[^。？?\n]{{0,40}}(?:标题|標題)"
        r"|(?:返回|生成)[^。？?\n]{0,12}(?:这句话|对话|对話)[^。？?\n]{0,8}(?:简要)?主题",
    ),
    (
        "tags",
        r"\bgenerate\b[^.?\n]{0,40}\btags\b[^.?\n]{0,80}\b(?:chat|conversation)\b"
        rf"|(?:生成|提取)[^。？?\n]{{0,40}}{_TALK}[^。？?\n]{{0,20}}(?:标签|標籤)"
        rf"|(?:为|給|给)[^。？?\n]{{0,20}}{_TALK}[^。？?\n]{{0,20}}(?:标签|標籤)",
    ),
    (
        "follow_ups",
        r"\b(?:suggest|generate|propose)\b[^.?\n]{0,40}\bfollow-?\s?up (?:questions|prompts)\b"
        r"|(?:生成|建议|建議|提出|给出)[^。？?\n]{0,30}(?:后续|後續|追问|跟进)(?:的)?(?:问题|問題|提问)",
    ),
    (
        "queries",
        r"\bdetermine the necessity of generating search queries\b"
        rf"|(?:根据|依据)[^。？?\n]{{0,12}}{_TALK}[^。？?\n]{{0,30}}(?:生成|提取)[^。？?\n]{{0,10}}(?:检索词|搜索词|搜索关键词)",
    ),
    ("completion", r"\byou are an autocompletion system\b"),
    ("emoji", r"\breflect the speaker'?s likely facial expression through a fitting emoji\b"),
    (
        "summary",
        r"\bsummari[sz]e (?:the|this|our) (?:discussion|conversation|chat)\b[^.?\n]{0,60}\b(?:prompt|words)\b"
        rf"|总结一?下?{_TALK}[^。？?\n]{{0,30}}(?:上下文|提示|字以内)",
    ),
)
# What a client adds that a person does not: the conversation, where it is, or the form of the reply.
_SHAPE = re.compile(
    r"<(?:chat_history|conversation|history|messages)>"
    r"|\b(?:this|our|above|preceding|following|user'?s) (?:conversation|dialogue|discussion"
    r"|chat(?! ?(?:bot|log|room|server)))"
    r"|\b(?:conversation|dialogue|chat) (?:above|below|so far|history)\b|\bthe (?:conversation|dialogue|chat)\W*\Z"
    r"|\bthe user\b|\bjson\b|\bpunctuation\b|\blead-?in\b|\b\d+(?:-\d+)?[ -]words?\b|\bwords or (?:less|fewer)\b"
    rf"|(?:以上|上述|上面|这段|這段|本次|此次|根据|依据|将|把|用户的)的?{_TALK}|字以内|字以內|标点|標點|JSON|不要解释",
    re.IGNORECASE,
)
_SHAPED: tuple[SideKind, ...] = ("title", "tags", "follow_ups")
_WORDED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _INSTRUCTIONS)
# A person who asks how titles are made asks the documents.
_ASKS = re.compile(
    r"\A\W*(?:how|what|why|when|where|which|who|does|do|is|are|can)\b|\A\W*(?:如何|怎么|怎样|什么|为什么|哪)", re.I
)
_SPOKEN = re.compile(
    r"^\W{0,3}(?:\[?(?:user|human|用户|使用者)\]?)\W{0,3}[:：]\s*(\S[^\n]{0,500})", re.IGNORECASE | re.MULTILINE
)
_JSON_SPOKEN = re.compile(r'"role"\s*:\s*"user"[^{}]{0,40}?"(?:content|mainText|text)"\s*:\s*"((?:[^"\\]|\\.){1,500})"')
_TITLE_WORDS, _TITLE_HAN, _TAGS = 6, 12, 3


@dataclass(frozen=True, slots=True)
class SideRequest:
    """`prompt` is the client's instruction and what it is about; `asked` what the user first asked, where it is there.

    `wants_json` says that the reply has to be an object, with the key of its kind.
    """

    kind: SideKind
    prompt: str
    asked: str = ""
    wants_json: bool = False

    @property
    def language(self) -> Language:
        return language_of(self.asked or self.prompt)

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema of the object that a model is to give."""
        item = {"type": "string"}
        value = {"type": "array", "items": item} if self._listed else item
        return {
            "type": "object",
            "properties": {self._key: value},
            "required": [self._key],
            "additionalProperties": False,
        }

    def read(self, reply: dict[str, Any] | None) -> str:
        """A model's object in the form that the client reads; empty where it holds nothing of use."""
        value = (reply or {}).get(self._key)
        if isinstance(value, list):
            value = [neutral_line(item)[:200] for item in value if isinstance(item, str) and item.strip()]
        else:
            value = neutral_line(str(value or ""))[: 2000 if self.kind == "summary" else 200]
        return self._written(value) if value else ""

    def by_rule(self) -> str:
        """Without a model: words of the user's first question; nothing is made up, so suggestions are none."""
        words = keywords(self.asked)
        if self.kind == "title":
            return self._written(_title(self.asked, self.language))
        if self.kind == "tags":
            return self._written([word for word in words if len(word) <= 30][:_TAGS])
        if self.kind == "emoji":
            return self._written("💬")
        if self.kind == "summary":
            return self._written(neutral_line(self.asked)[:200])
        return self._written([] if self._listed else "")

    @property
    def _key(self) -> str:
        return _KEYS.get(self.kind, "reply")

    @property
    def _listed(self) -> bool:
        return self.kind in ("tags", "follow_ups", "queries")

    def _written(self, value: str | list[str]) -> str:
        if self.wants_json:
            return json.dumps({self._key: value}, ensure_ascii=False)
        return value if isinstance(value, str) else "\n".join(value)


def side_request(message: str, history: Sequence[Turn] = ()) -> SideRequest | None:
    """What a chat client asks for itself; None for everything that a person asks.

    The instruction is in the message, or in the conversation's last system turn with the conversation as the message.
    """
    kind = _kind_of(message)
    if kind is not None:
        return SideRequest(kind, message, _first_asked(message, history), _wants_json(message, kind))
    instruction = next((text for role, text in reversed(history) if role == "system"), "")
    kind = _kind_of(instruction) if instruction else None
    if kind is None:
        return None
    asked = _first_asked(message, history) or message.strip()[:500]
    return SideRequest(kind, f"{instruction}\n\n{message}", asked, _wants_json(instruction, kind))


def _kind_of(text: str) -> SideKind | None:
    ends = text if len(text) <= 2 * _READ else f"{text[:_READ]}\n{text[-_READ:]}"
    if _TASK.match(ends):
        for kind, key in _KEYS.items():
            if re.search(rf'\{{\s*"{key}"\s*:', ends):
                return kind
    if _ASKS.match(ends):
        return None
    shaped = any(pattern.search(ends) for pattern in (_SHAPE, _SPOKEN, _JSON_SPOKEN))
    worded = (kind for kind, pattern in _WORDED if (shaped or kind not in _SHAPED) and pattern.search(ends))
    return next(worded, None)


def _wants_json(text: str, kind: SideKind) -> bool:
    return kind in _KEYS and re.search(rf'\{{\s*"{_KEYS[kind]}"\s*:', text) is not None


def _first_asked(message: str, history: Sequence[Turn]) -> str:
    """The user's first words: of the conversation itself, or of its transcript inside the message."""
    for role, text in history:
        if role == "user" and text.strip():
            return text.strip()[:500]
    spoken = [match[1] for match in _SPOKEN.finditer(message)]
    if spoken:
        return spoken[0].strip()
    found = _JSON_SPOKEN.search(message)
    if found is None:
        return ""
    try:
        return str(json.loads(f'"{found[1]}"')).strip()
    except ValueError:
        return found[1].strip()


def _title(asked: str, language: Language) -> str:
    words = keywords(neutral_line(asked))
    if not words:
        return "新对话" if language == "zh" else "New chat"
    joined = "".join(words) if has_han(asked) and all(map(has_han, words)) else " ".join(words[:_TITLE_WORDS])
    return joined[:_TITLE_HAN] if has_han(joined) else joined[:60]
