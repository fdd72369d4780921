// @ts-nocheck: plain JavaScript, because promptfoo loads it too.
/** A judge whose answers are in its configuration, one after the other; also embeds, classifies and moderates by fixed rules. */
export default class ScriptedJudge {
  constructor(options) {
    this.config = options.config ?? {};
    this.label = options.label;
    this.calls = 0;
  }
  id() {
    return "scripted-judge";
  }
  async callApi() {
    const answers = this.config.answers ?? ["{}"];
    const answer = answers[this.calls % answers.length];
    this.calls += 1;
    return typeof answer === "object" && answer !== null && "error" in answer ? answer : { output: answer };
  }
  async callEmbeddingApi(text) {
    const count = (letters) => [...String(text).toLowerCase()].filter((one) => letters.includes(one)).length;
    return { embedding: [count("aeiou"), count("bcdfghjklm"), count("npqrstvwxyz"), 1] };
  }
  async callClassificationApi() {
    return { classification: this.config.classes ?? {} };
  }
  async callModerationApi() {
    return { flags: this.config.flags ?? [] };
  }
}
