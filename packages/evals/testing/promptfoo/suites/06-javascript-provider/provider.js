module.exports = class Shouting {
  constructor(options) {
    this.config = options.config;
    this.providerId = options.label || options.id || "shouting";
  }
  id() {
    return this.providerId;
  }
  async callApi(prompt, context) {
    if (prompt === "fail") return { error: "it failed" };
    if (prompt === "throw") throw new Error("it threw");
    if (prompt === "silent") return { output: null };
    if (prompt.startsWith("object")) return { output: { asked: context.vars.question } };
    const tokenUsage = { total: 7, prompt: 3, completion: 4 };
    if (prompt === "tools") {
      const output = [
        { type: "tool_use", name: "search" },
        { type: "tool_use", name: "read" },
      ];
      return {
        output,
        logProbs: [-0.1, -0.2],
        metadata: { skillCalls: [{ name: "review" }] },
        guardrails: { flagged: true },
      };
    }
    return {
      output: `${prompt.toUpperCase()}${this.config.suffix}`,
      tokenUsage,
      cost: this.config.price,
      finishReason: "stop",
      metadata: { words: prompt.split(" ").length },
    };
  }
};
