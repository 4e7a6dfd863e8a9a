"""What the server is doing, in words, for clients that show a model's reasoning while they wait."""

from __future__ import annotations

from graph.types import Event, Language, NodeEvent, NodeStarted

_WORDS: dict[str, dict[Language, str]] = {
    "condense": {"en": "Reading the question", "zh": "理解问题"},
    "retrieve": {"en": "Searching the documents", "zh": "检索文档"},
    "rerank": {"en": "Ranking the passages", "zh": "重排段落"},
    "grade": {"en": "Judging the evidence", "zh": "证据评分"},
    "rewrite": {"en": "Asking in other words", "zh": "换一种问法"},
    "search_web": {"en": "Searching the web", "zh": "搜索网络"},
    "grade_web": {"en": "Judging the web pages", "zh": "网页评分"},
    "refine": {"en": "Picking the sentences that matter", "zh": "提炼要点"},
    "generate": {"en": "Writing the answer", "zh": "生成回答"},
    "verify": {"en": "Checking the citations", "zh": "核对引用"},
}


def progress_line(event: Event, language: Language, *, graded: bool = True) -> str | None:
    """One line for a node that starts, or for a grade that has been given; None for everything else.

    With `graded` False the pipeline decides nothing by the grade, and nothing is said of it.
    """
    if not graded and isinstance(event, NodeStarted | NodeEvent) and event.node == "grade":
        return None
    if isinstance(event, NodeStarted) and event.node in _WORDS:
        return f"{_WORDS[event.node][language]} …\n"
    if isinstance(event, NodeEvent) and event.node == "grade" and "confidence" in event.detail:
        share = round(100 * float(event.detail["confidence"]))
        # It is said before anything is answered or refused: "95% confident" would promise an answer.
        return f"→ evidence {share}%\n" if language == "en" else f"→ 证据置信度 {share}%\n"
    return None
