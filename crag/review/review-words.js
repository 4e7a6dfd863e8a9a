// The words of the review page, in both languages.
const WORDS = {
  en: {
    title: "Review of drafted questions",
    counts: ({ accepted, dropped, draft }) => `${accepted} accepted · ${dropped} dropped · ${draft} to go`,
    position: (n, total) => `${n} of ${total}`,
    question: "Question",
    reference: "Reference answer",
    unanswerable: "The documents do not answer it: the right answer is to say so.",
    kind: "Kind",
    kinds: { factual: "factual", summary: "summary", multi_hop: "multi-hop", unanswerable: "unanswerable" },
    passages: "Made from",
    by: ({ en }) => `proposed ${en.startsWith("a ") ? "as " : ""}${en}`,
    evidence: "Evidence: words of the passage above",
    change: "Change the evidence",
    accept: "Accept",
    drop: "Drop",
    back: "Back",
    next: "Next",
    state: { draft: "not decided", accepted: "accepted", dropped: "dropped" },
    keys: "A accepts, D drops, ← and → move, E edits, Escape leaves a field. Every decision and every edit is saved at once.",
    done: "Every draft is decided.",
    write: (path) => `crag eval testset write ${path} --out SUITE`,
    gone: "The review is not running any more: start it again with crag eval testset review --page.",
  },
  zh: {
    title: "审阅草拟的问题",
    counts: ({ accepted, dropped, draft }) => `接受 ${accepted} · 舍弃 ${dropped} · 剩余 ${draft}`,
    position: (n, total) => `第 ${n} 题，共 ${total} 题`,
    question: "问题",
    reference: "参考答案",
    unanswerable: "文档中没有答案：正确的回答是说明不知道。",
    kind: "类型",
    kinds: { factual: "事实", summary: "概括", multi_hop: "多跳", unanswerable: "无法回答" },
    passages: "出处",
    by: ({ zh }) => `来源：${zh}`,
    evidence: "依据：须为上方段落中的原文",
    change: "修改依据",
    accept: "接受",
    drop: "舍弃",
    back: "上一题",
    next: "下一题",
    state: { draft: "未决定", accepted: "已接受", dropped: "已舍弃" },
    keys: "按 A 接受，按 D 舍弃，← → 翻页，E 编辑，Escape 离开输入框。每个决定和修改立即保存。",
    done: "所有草稿都已决定。",
    write: (path) => `crag eval testset write ${path} --out SUITE`,
    gone: "审阅服务已停止，请重新运行 crag eval testset review --page。",
  },
};

let current = navigator.language.startsWith("zh") ? "zh" : "en";

export const language = () => current;
export const switchLanguage = () => (current = current === "en" ? "zh" : "en");

export function word(name, ...values) {
  const found = WORDS[current][name];
  return typeof found === "function" ? found(...values) : found;
}
