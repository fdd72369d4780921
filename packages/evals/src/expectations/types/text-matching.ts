/** Text that has to be there, or must not. */
import { defineExpectation, type Example, type ExpectationType } from "../define-expectation.ts";
import { findTldr } from "../markdown.ts";
import { failing } from "../outcome.ts";
import { bodyKeys, type Found, type OutputReader } from "../output-reader.ts";
import { compileAll, type PatternMode, patternParameters, searchPatterns } from "../search-patterns.ts";
import { normalText } from "../text-measures.ts";

interface TextType {
  readonly type: string;
  readonly reads: string;
  readonly mode: PatternMode;
  readonly read: (output: OutputReader) => Found<string>;
  readonly notes?: string;
  readonly examples: readonly Example[];
}

const passes = { all: "every pattern is found", any: "at least one pattern is found", none: "no pattern is found" };

function textType({ type, reads, mode, read, notes, examples }: TextType): ExpectationType {
  return defineExpectation({
    type,
    category: "Text matching",
    reads,
    passes: passes[mode],
    ...(notes ? { notes } : {}),
    parameters: patternParameters,
    check: ({ patterns, ignore_case }, output) => searchPatterns(mode, compileAll(patterns, ignore_case), read(output)),
    examples,
    refuses: [
      { given: { patterns: [] }, refused: "at least one pattern" },
      { given: { patterns: ["/(?=look)ahead/"] }, refused: "looks around" },
      { given: { patterns: ["a"], pattern: "b" }, refused: "pattern" },
    ],
  });
}

const response = (output: OutputReader) => output.text("response");
const body = (output: OutputReader) => output.text(...bodyKeys);

/** `output.tldr`, else the paragraph that a TL;DR line announces. */
export function readTldr(output: OutputReader): Found<string> {
  if (output.find("tldr")) return output.text("tldr");
  const text = output.find(...bodyKeys) ? output.text(...bodyKeys) : undefined;
  const found = text && findTldr(text.value);
  if (!text || !found) {
    throw failing("output has no `tldr`, and its body has no TL;DR line", {
      expected: "tldr",
      actual: Object.keys(output.members).slice(0, 20),
      place: text?.place ?? "output",
    });
  }
  return { value: normalText(found.text), place: `${text.place} line ${found.line}` };
}

export const textMatching: readonly ExpectationType[] = [
  textType({
    type: "response_contains",
    reads: "output.response",
    mode: "all",
    read: response,
    notes: "all of them; `response_contains_any` wants one",
    examples: [
      {
        given: { patterns: ["housing", "/\\b(policy|legislation)\\b/i"] },
        output: { response: "New housing Policy" },
        is: "pass",
      },
      { given: { patterns: ["housing", "zoning"] }, output: { response: "housing" }, is: "fail", says: '"zoning"' },
      { given: { patterns: ["Housing"] }, output: { response: "housing" }, is: "fail" },
      { given: { patterns: ["Housing"], ignore_case: true }, output: "housing", is: "pass" },
      { given: { patterns: [{ text: "/usr/lib/" }] }, output: "see /usr/lib/x", is: "pass" },
      { given: { patterns: [{ regex: "^b", flags: "m" }] }, output: "a\r\nb", is: "pass" },
      { given: { patterns: ["caf\u00e9"] }, output: "cafe\u0301", is: "pass" },
      { given: { patterns: ["x"] }, output: { body: "x" }, is: "fail", says: "output has no `response`; it has: body" },
      { given: { patterns: ["x"] }, output: { response: 7 }, is: "fail", says: "a number, expected a text" },
      { given: { patterns: ["x"] }, output: { response: "", response_preview: "x" }, is: "fail" },
    ],
  }),
  textType({
    type: "response_excludes",
    reads: "output.response",
    mode: "none",
    read: response,
    examples: [
      { given: { patterns: ["I don't have access"] }, output: "Here it is.", is: "pass" },
      {
        given: { patterns: ["I don't have access"] },
        output: "Sorry,\nI don't have access.",
        is: "fail",
        says: "contains",
      },
      { given: { patterns: ["x"] }, output: {}, is: "fail", says: "it has: nothing" },
      { given: { patterns: ["x"] }, output: { response: null }, is: "fail" },
      { given: { patterns: ["x"] }, output: "", is: "pass" },
    ],
  }),
  textType({
    type: "response_contains_any",
    reads: "output.response",
    mode: "any",
    read: response,
    examples: [
      { given: { patterns: ["homes", "zoning"] }, output: "zoning law", is: "pass" },
      { given: { patterns: ["homes", "zoning"] }, output: "rent", is: "fail", says: "none of" },
    ],
  }),
  textType({
    type: "body_contains",
    reads: "output.body → structured_content",
    mode: "all",
    read: body,
    notes: "subject and title are not searched",
    examples: [
      { given: { patterns: ["Dear David"] }, output: { body: "Dear David,\nhello" }, is: "pass" },
      { given: { patterns: ["Series B", "$50M"] }, output: { structured_content: "Series B of $50M" }, is: "pass" },
      { given: { patterns: ["Hello"] }, output: { subject: "Hello", body: "Hi" }, is: "fail" },
    ],
  }),
  textType({
    type: "body_excludes",
    reads: "output.body → structured_content",
    mode: "none",
    read: body,
    examples: [
      { given: { patterns: ["Best regards", "/here's the kicker/i"] }, output: { body: "Cheers" }, is: "pass" },
      { given: { patterns: ["/here's the kicker/i"] }, output: { body: "And Here's the kicker" }, is: "fail" },
      { given: { patterns: ["x"] }, output: { response: "a" }, is: "fail", says: "no `body` or `structured_content`" },
    ],
  }),
  textType({
    type: "body_contains_any",
    reads: "output.body → structured_content",
    mode: "any",
    read: body,
    examples: [
      { given: { patterns: ["housing", "homes"] }, output: { body: "affordable homes" }, is: "pass" },
      { given: { patterns: ["housing", "homes"] }, output: { body: "" }, is: "fail" },
    ],
  }),
  textType({
    type: "title_excludes",
    reads: "output.title",
    mode: "none",
    read: (output) => output.text("title"),
    examples: [
      { given: { patterns: ["Breaking"] }, output: { title: "A quiet day" }, is: "pass" },
      { given: { patterns: ["Breaking"] }, output: { title: "Breaking: rain" }, is: "fail" },
      { given: { patterns: ["Breaking"] }, output: { body: "# A quiet day" }, is: "fail", says: "no `title`" },
    ],
  }),
  textType({
    type: "tldr_excludes",
    reads: "output.tldr → the paragraph after a `TL;DR` line or header in body",
    mode: "none",
    read: readTldr,
    examples: [
      { given: { patterns: ["game-changer"] }, output: { tldr: "Rents fell." }, is: "pass" },
      {
        given: { patterns: ["game-changer"] },
        output: { body: "# News\n\n## TL;DR\n\nA game-changer.\n\nMore." },
        is: "fail",
        says: "line 5",
      },
      { given: { patterns: ["More"] }, output: { body: "**TL;DR:** Rents fell.\n\nMore." }, is: "pass" },
      { given: { patterns: ["x"] }, output: { body: "no summary" }, is: "fail", says: "no TL;DR line" },
    ],
  }),
  textType({
    type: "reasoning_contains",
    reads: "output.reasoning",
    mode: "all",
    read: (output) => output.text("reasoning"),
    examples: [
      { given: { patterns: ["alignment"] }, output: { reasoning: "High alignment because…" }, is: "pass" },
      { given: { patterns: ["alignment"] }, output: { reasoning: "" }, is: "fail" },
      { given: { patterns: ["alignment"] }, output: "alignment", is: "fail", says: "no `reasoning`" },
    ],
  }),
];
