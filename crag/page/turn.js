// A question and the answers to it: one, or two side by side from two pipelines.
import { h } from "./dom.js";
import { Reply } from "./reply.js";

export class Turn {
  /** `retry()` asks the same question again. */
  constructor(question, pipelines, retry) {
    this.question = question;
    this.replies = pipelines.map((pipeline) => new Reply(question, pipeline, retry, pipelines.length > 1));
    this.element = h("li.turn", {},
      h("div.question", {}, asked(question)),
      h(pipelines.length > 1 ? "div.replies.pair" : "div.replies", {}, this.replies.map((reply) => reply.card)));
  }

  /** What was said, for the requests that follow; `side` follows one pipeline's own answers. */
  messages(side) {
    const reply = this.replies[side] ?? this.replies[0];
    if (!reply.answer) return [];
    return [{ role: "user", content: this.question }, { role: "assistant", content: reply.text }];
  }

  settle() {
    for (const reply of this.replies) if (reply.settled) reply.settle();
  }

  saved() {
    return { question: this.question, replies: this.replies.map((reply) => reply.saved()) };
  }

  static restored({ question, replies }, retry) {
    const turn = new Turn(question, replies.map((reply) => reply.pipeline), retry);
    turn.replies.forEach((reply, side) => reply.restore(replies[side]));
    return turn;
  }
}

/** A question; one that would fill the screen scrolls by itself, so that its answer is in sight. */
function asked(question) {
  const long = question.length > 600 || question.split("\n").length > 12;
  return long ? h("h2.long", { tabIndex: 0 }, question) : h("h2", {}, question);
}
