import { expect, test } from "bun:test";
import { type InputLook, inputState, inputText } from "./input-line.ts";

const claude: InputLook = { glyph: "❯", above: "─" };
const codex: InputLook = { glyph: "›" };
const rule = "─".repeat(40);

const screens: [string, InputLook, string[], { x: number; y: number }, string][] = [
  ["Claude Code, nothing typed", claude, ["● Hi.", "", rule, "❯ ", rule, "  ? for shortcuts"], { x: 2, y: 3 }, "empty"],
  ["with a greyed hint", claude, [rule, "❯ Press up to edit queued messages", rule], { x: 2, y: 1 }, "empty"],
  ["with a word", claude, [rule, "❯ half", rule], { x: 6, y: 1 }, "filled"],
  ["with two lines", claude, [rule, "❯ one", "  two", rule], { x: 5, y: 2 }, "filled"],
  [
    "asking for a permission",
    claude,
    [rule, " Bash", " ❯ 1. Yes", "   2. No", " Esc to cancel"],
    { x: 1, y: 2 },
    "absent",
  ],
  ["asking for trust", claude, [" ❯ No, exit", "   Yes, I trust this folder"], { x: 1, y: 0 }, "absent"],
  ["an earlier message, no input line", claude, ["❯ hello", "● Hi."], { x: 2, y: 0 }, "absent"],
  ["Codex, nothing typed", codex, ["• Hi.", "", "› Ask Codex to do anything", "  gpt"], { x: 2, y: 2 }, "empty"],
  ["with a paste", codex, ["", "› [Pasted Content 2000 chars]", "  gpt"], { x: 29, y: 1 }, "filled"],
  ["asking a question", codex, ["  Folder access", "› 1. Open restricted", "  2. Quit"], { x: 2, y: 1 }, "absent"],
  ["nothing at all", codex, ["", "", ""], { x: 0, y: 2 }, "absent"],
];

for (const [name, look, lines, cursor, state] of screens) {
  test(`the input line is ${state}: ${name}`, () => expect(inputState({ lines, cursor }, look)).toBe(state as "empty"));
}

test("a draft is read with all its lines", () => {
  const screen = { lines: [rule, "❯ one", "  two", rule], cursor: { x: 5, y: 2 } };
  expect(inputText(screen, claude)).toBe("one\ntwo");
});
