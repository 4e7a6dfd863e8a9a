// Every word of the interface, in both languages.
const WORDS = {
  en: {
    skip: "Skip to the question",
    newChat: "New conversation",
    pipeline: "Pipeline",
    theme: "Switch between light and dark",
    headline: "Ask your documents",
    leadDocuments: (n) => `${n} document${n === 1 ? "" : "s"} ready. Every answer shows its sources, how sure it is, and says so when it does not know.`,
    leadEmpty: "There are no documents yet. Add some on the command line:",
    placeholder: "Ask in English or Chinese …",
    question: "Your question",
    send: "Send",
    stop: "Stop",
    documents: "Documents",
    documentCount: (n) => `${n} document${n === 1 ? "" : "s"}`,
    close: "Close",
    page: (n) => `page ${n}`,
    pageBreak: (n) => `Page ${n}`,
    cut: "The document goes on; only the part around the passage is shown.",
    sources: "Sources",
    openSource: (n) => `Open source ${n}`,
    copy: "Copy",
    copied: "Copied",
    retry: "Ask again",
    how: "How this answer came about",
    evidence: "Passages considered",
    stopped: "Stopped.",
    status: { grounded: "Answered from the sources", partial: "Answered in part", abstained: "Not answered" },
    route: {
      correct: (refused) => (refused ? "The passages look right, but no sentence of them bears an answer." : "The documents hold the answer."),
      ambiguous: (refused, rewritten, web) =>
        `${web ? "The evidence was uncertain, so the web was searched too" : "The evidence is uncertain"}${refused ? "." : ": check the sources."}`,
      incorrect: (refused, rewritten, web) => {
        const tried = [rewritten && "other wordings", web && "the web"].filter(Boolean).join(" and ");
        if (!refused) return "The documents do not seem to hold it; the answer is from the web.";
        return `The documents do not seem to hold it${tried && `; ${tried} brought nothing better`}.`;
      },
    },
    reply: "No question to the documents",
    replyRoute: "Nothing was searched.",
    ungraded: "Evidence not graded",
    ungradedHint: "This pipeline does not judge whether the evidence holds the answer",
    ungradedRoute: (refused) =>
      (refused ? "Nothing was found that bears an answer." : "This pipeline answers from whatever it finds: check the sources."),
    confidence: (p) => `${p}% confident`,
    confidenceHint: "Calibrated probability that the evidence holds the answer",
    degraded: (d, node) => `${node}: ${d.reason.replace(/\.$/, "")}. ${d.action}`,
    nodes: {
      condense: "Question", reply: "Reply", retrieve: "Search", rerank: "Rank", grade: "Grade", rewrite: "Rewrite", search_web: "Web",
      grade_web: "Grade web", refine: "Refine", generate: "Write", verify: "Verify", answer: "Answer", abstain: "Refuse",
    },
    roles: { embedding: "Embedding", rerank: "Reranker", generation: "Language model", web: "Web", grading: "Grading", calibration: "Calibration" },
    total: "Total",
    modelNone: "No language model is configured: answers quote the documents word for word.",
    modelSome: (name) => `Answers are written by ${name} from the documents and checked against them.`,
    failed: "The answer could not be given:",
    unreachable: "The server cannot be reached. Is it still running?",
    keyTitle: "Access key",
    keyText: "This server asks for a key. It stays in this browser tab only.",
    keyUse: "Use it",
    thinking: "Working …",
  },
  zh: {
    skip: "跳到提问框",
    newChat: "新对话",
    pipeline: "流水线",
    theme: "切换浅色与深色",
    headline: "向你的文档提问",
    leadDocuments: (n) => `已就绪 ${n} 篇文档。每个回答都附来源和把握程度；找不到答案时会直说。`,
    leadEmpty: "还没有文档。请在命令行添加：",
    placeholder: "用中文或英文提问 …",
    question: "你的问题",
    send: "发送",
    stop: "停止",
    documents: "文档",
    documentCount: (n) => `${n} 篇文档`,
    close: "关闭",
    page: (n) => `第 ${n} 页`,
    pageBreak: (n) => `第 ${n} 页`,
    cut: "文档未完，这里只显示引文附近的部分。",
    sources: "来源",
    openSource: (n) => `打开来源 ${n}`,
    copy: "复制",
    copied: "已复制",
    retry: "重新提问",
    how: "回答是怎样得来的",
    evidence: "参考过的段落",
    stopped: "已停止。",
    status: { grounded: "依据来源作答", partial: "部分作答", abstained: "未能作答" },
    route: {
      correct: (refused) => (refused ? "检索到的段落相关，但没有一句能支持答案。" : "文档中有答案。"),
      ambiguous: (refused, rewritten, web) => `依据不够明确${web ? "，因此也搜索了网络" : ""}${refused ? "。" : "，请核对来源。"}`,
      incorrect: (refused, rewritten, web) => {
        const tried = [rewritten && "换过问法", web && "搜索过网络"].filter(Boolean).join("、");
        if (!refused) return "文档中似乎没有答案，回答来自网络。";
        return `文档中似乎没有答案${tried && `；${tried}，也没有更好的结果`}。`;
      },
    },
    reply: "与文档无关",
    replyRoute: "没有检索文档。",
    ungraded: "未评估证据",
    ungradedHint: "此流水线不评估证据中是否含有答案",
    ungradedRoute: (refused) => (refused ? "没有检索到能支持答案的内容。" : "此流水线直接依据检索结果作答，请核对来源。"),
    confidence: (p) => `把握 ${p}%`,
    confidenceHint: "证据中含有答案的概率（经校准）",
    degraded: (d, node) => `${node}：${d.reason.replace(/\.$/, "")}. ${d.action}`,
    nodes: {
      condense: "理解", reply: "回应", retrieve: "检索", rerank: "重排", grade: "评估", rewrite: "改写", search_web: "网络",
      grade_web: "评估网页", refine: "提炼", generate: "撰写", verify: "核对", answer: "作答", abstain: "拒答",
    },
    roles: { embedding: "向量模型", rerank: "重排模型", generation: "语言模型", web: "网络搜索", grading: "证据评估", calibration: "置信度校准" },
    total: "合计",
    modelNone: "未配置语言模型：回答为文档原句摘录。",
    modelSome: (name) => `回答由 ${name} 依据文档撰写，并逐句核对。`,
    failed: "未能给出回答：",
    unreachable: "无法连接服务器，它还在运行吗？",
    keyTitle: "访问密钥",
    keyText: "此服务器需要密钥，密钥只保存在当前标签页。",
    keyUse: "使用",
    thinking: "处理中 …",
  },
};

let current = localStorage.getItem("language") || (navigator.language.startsWith("zh") ? "zh" : "en");

export const language = () => current;

/** The word `name`, called with `values` where it needs any. */
export function word(name, ...values) {
  const found = WORDS[current][name];
  return typeof found === "function" ? found(...values) : found;
}

export function switchLanguage() {
  current = current === "en" ? "zh" : "en";
  localStorage.setItem("language", current);
}

/** Put the words into every element of `root` that asks for one. */
export function translate(root = document) {
  document.documentElement.lang = current === "zh" ? "zh-CN" : "en";
  for (const element of root.querySelectorAll("[data-text]")) element.textContent = word(element.dataset.text);
  for (const element of root.querySelectorAll("[data-placeholder]")) element.placeholder = word(element.dataset.placeholder);
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", word(element.dataset.label));
    if (element.tagName === "BUTTON") element.title = word(element.dataset.label);
  }
}
