import { expect, test } from "bun:test";
import { renderPrompt } from "./render-prompt.ts";

const prompt = (content: Parameters<typeof renderPrompt>[0]["content"]) =>
  ({ name: "", content, output: "text" }) as const;

test("members of the input are inserted, text as it is and anything else as JSON", () => {
  const input = { question: "Why?", order: { id: 7, lines: ["a"] }, "a.b": "dotted", empty: "" };
  expect(renderPrompt(prompt("{{question}} {{ order.id }} {{order}} {{a.b}}[{{empty}}]"), input)).toEqual({
    prompt: 'Why? 7 {"id":7,"lines":["a"]} dotted[]',
    missing: [],
  });
  expect(renderPrompt(prompt([{ role: "user", content: "Hi {{question}}" }]), input).prompt).toEqual([
    { role: "user", content: "Hi Why?" },
  ]);
});

test("a value is inserted once, and what every object inherits is not an input", () => {
  expect(renderPrompt(prompt("{{a}}"), { a: "{{b}} $& $1", b: "secret" }).prompt).toBe("{{b}} $& $1");
  expect(renderPrompt(prompt("{{constructor}} {{a.length}} {{__proto__}}"), { a: "text" }).missing).toEqual([
    "constructor",
    "a.length",
    "__proto__",
  ]);
});

test("what the input does not have is reported once", () => {
  expect(renderPrompt(prompt("{{who}} {{who}} {{order.id}}"), { order: null })).toEqual({
    prompt: "{{who}} {{who}} {{order.id}}",
    missing: ["who", "order.id"],
  });
});
