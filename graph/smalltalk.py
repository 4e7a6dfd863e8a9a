"""Messages that ask nothing of the documents: greetings, thanks, goodbyes, and questions about this service."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from graph.types import Language

Aside = Literal["greeting", "thanks", "goodbye", "service", "documents"]

_END = r"[\s\W]*"
_ADDRESS = r"(?:there|all|everyone|everybody|again|friend|assistant|bot)"
_ENGLISH: dict[Aside, str] = {
    "greeting": rf"(?:hello|hi|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day))(?:\W+{_ADDRESS})?"
    r"|how are you(?: doing)?(?: today)?|what'?s up|nice to meet you",
    "thanks": r"(?:ok(?:ay)?|great|perfect|cool|nice|good|wonderful|got it)?\W*"
    r"(?:many thanks|thanks(?: a lot| so much| a bunch| again)?|thank you(?: very much| so much| a lot| again)?|thx|ty"
    r"|cheers|much appreciated)(?:\W+(?:for (?:the|your) (?:help|answer|information)|that (?:helps|helped)|bye))?"
    r"|ok(?:ay)?|great|perfect|cool|nice|got it|well done|good job|i see|sounds good|never ?mind"
    r"|that (?:helps|helped|was helpful)|you'?re welcome",
    "goodbye": r"(?:good ?bye|bye(?:\W?bye)?|see you(?: later| soon| tomorrow)?|see ya|farewell|good ?night|take care"
    r"|have a (?:nice|good|great) (?:day|evening|one|weekend))",
    "service": r"(?:who|what) (?:are|r) you|what(?:'s| is) your name"
    r"|are you (?:a |an )?(?:bot|robot|human|ai|chatbot|real)"
    r"|what (?:can|do) you (?:do|help(?: me)? with|know|answer)(?: for me| about)?|how (?:can|do) you help(?: me)?"
    r"|what (?:can|should|may) i ask(?: you)?(?: about)?|what is this (?:service|site|page|tool|app)|help(?: me)?"
    r"|(?:please )?introduce yourself|tell me about yourself|how (?:do|can) i use (?:you|this)"
    r"|what are you(?: able to do| for| capable of)|what (?:does|can) this (?:service|tool|app) do"
    r"|can you help(?: me)?|yes|no|sorry",
    "documents": r"(?:what|which) (?:documents?|files?|sources?|docs)"
    r" (?:do you (?:have|know|hold|contain|use)|are (?:there|available|indexed|loaded|in (?:here|the index))"
    r"|have you (?:got|read|indexed)|can i (?:ask about|search)|did you (?:read|index))"
    r"|(?:(?:please )?(?:list|show)(?: me)?|what are)(?: all)?(?: of)?(?: the| your)? (?:documents|files|sources|docs)"
    r"|how many (?:documents|files|sources|docs) (?:do you have|are there|are indexed)"
    r"|what(?:'s| is) in (?:the|your) (?:documents|index|library|knowledge base)",
}
_YOU = r"(?:你|您|你们|妳)"
_CHINESE: dict[Aside, str] = {
    "greeting": rf"{_YOU}(?:们)?好(?:[啊呀吗嗎]|吗)?|(?:哈[喽啰囉罗]|嗨|嘿|喂)(?:{_YOU}好)?|早上?好?"
    rf"|(?:上午|中午|下午|晚上)好|大家好"
    r"|在吗|在嗎|在不在|有人吗|幸会|很高兴认识你",
    "thanks": rf"(?:好的?|行|明白了?|知道了)?\W*(?:谢谢|謝謝|多谢|多謝|感谢|感謝|谢啦|谢了|非常感谢|十分感谢"
    rf"|谢谢谢谢)(?:{_YOU}|大家|啦|了|帮助|的帮助)*"
    r"|好的?|好吧|行|明白了?|知道了|了解了?|收到|嗯+|哦+|辛苦了?|不客气|没事了?|不用了|很好|太好了|不错",
    "goodbye": r"再见|再見|拜拜|回见|回頭見|回头见|晚安|下次见|下次再见|明天见|白白",
    "service": rf"(?:请问)?{_YOU}是谁|{_YOU}是誰|{_YOU}是(?:什么|什麼|机器人|人工智能|AI|真人)(?:吗|嗎)?"
    rf"|{_YOU}叫什么(?:名字)?"
    rf"|{_YOU}(?:能|可以|会|會)(?:做|干|帮我做?|幫我做?|回答|为我做)(?:些|点)?(?:什么|什麼|啥"
    rf"|哪些(?:事情?|问题)?)(?:事情?|问题|呢)?"
    rf"|{_YOU}有(?:什么|哪些)(?:功能|用|能力|本事)"
    rf"|(?:请)?(?:自我介绍|介绍一下(?:你自己|自己)|介绍(?:你自己|自己))(?:一下)?"
    rf"|我(?:能|可以)(?:问|問){_YOU}?(?:些|点)?(?:什么|什麼|哪些(?:问题)?)(?:问题|呢)?|这是什么(?:服务|网站|工具|系统)"
    rf"|怎么(?:用|使用)(?:{_YOU}|这个(?:服务|系统|工具))|帮助|(?:{_YOU}能)?帮(?:帮|一下)?我(?:吗)?"
    rf"|{_YOU}知道(?:些)?什么|对|是的|不是|没有了?|抱歉|对不起",
    "documents": rf"(?:请问)?(?:{_YOU}(?:这里|这儿|们|手上)?|这里|库里|文档库(?:里|中)?|知识库(?:里|中)?"
    rf"|系统(?:里|中)?|目前|现在)*(?:都)?"
    r"(?:有|收录了?|包含了?)(?:些)?(?:哪些|什么|什麼|多少(?:份|篇|个)?|几(?:份|篇|个))(?:文档|文件|资料|文檔"
    r"|資料)(?:呢)?"
    rf"|(?:请)?(?:列出|显示|列一下|看看|查看)(?:{_YOU}的|所有的?|全部的?)*(?:文档|文件|资料)(?:列表)?"
    r"|(?:文档|文件|资料)(?:都)?有(?:哪些|什么|多少)|(?:文档|文件|资料)列表",
}
_KINDS: tuple[tuple[Aside, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"{_END}(?:{words})(?:\W*(?:please|now|then|for now))?{_END}", re.IGNORECASE))
    for words_by_kind in (_ENGLISH, _CHINESE)
    for kind, words in words_by_kind.items()
)
_OPENING = re.compile(
    rf"[\s\W]*(?:(?:hello|hi|hey|good (?:morning|afternoon|evening))(?: {_ADDRESS})?[\s,.!]+"
    r"|(?:您好|你好|哈[喽啰]|嗨)[\s，,。！!]*)",
    re.IGNORECASE,
)

_LONGEST = 200
"""Characters of small talk. The patterns look back and forth in it: thousands of signs would keep them for minutes."""

_SERVICE: dict[Language, str] = {
    "en": "I answer questions from the indexed documents and name the source of every sentence. "
    "Where the documents do not hold an answer, I say so. Ask me something about the documents.",
    "zh": "我根据已收录的文档回答问题，每句话都注明出处；文档里没有答案时会直说。请就文档内容提问。",
}
_REPLIES: dict[Language, dict[Aside, str]] = {
    "en": {
        "greeting": f"Hello. {_SERVICE['en']}",
        "thanks": "You are welcome. Ask me anything else about the documents.",
        "goodbye": "Goodbye. I am here for questions about the documents.",
        "service": _SERVICE["en"],
        "documents": "I answer questions from the documents but do not list them here: "
        "see the page's document list, or run crag docs list.",
    },
    "zh": {
        "greeting": f"你好。{_SERVICE['zh']}",
        "thanks": "不客气。关于文档还有别的问题，请继续提问。",
        "goodbye": "再见。关于文档有问题时，欢迎再来提问。",
        "service": _SERVICE["zh"],
        "documents": "我只根据文档回答问题，不在这里列出文档：请看页面上的文档列表，或运行 crag docs list。",
    },
}


def aside(message: str) -> Aside | None:
    """What kind of small talk the whole message is; None for everything that is to be searched for."""
    if len(message) > _LONGEST:
        return None
    # "😀": nothing in it can be looked up.
    if not re.search(r"\w", message) and any(unicodedata.category(sign) == "So" for sign in message):
        return "service"
    opening = _OPENING.match(message)
    # "Hello, who are you?" is small talk twice; "Hello, what is BM25?" is a question.
    for text in (message, message[opening.end() :] if opening else ""):
        for kind, pattern in _KINDS:
            if text and pattern.fullmatch(text):
                return kind
    return None


def reply_to(kind: Aside, language: Language) -> str:
    """The fixed line: what this service does, or where the documents are listed."""
    return _REPLIES[language][kind]
