/** Expectations about text that must or must not be present. */
import { defineExpectation, type ExpectationType } from "../define-expectation.ts";
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
}

const passes = { all: "every pattern is found", any: "at least one pattern is found", none: "no pattern is found" };

function textType({ type, reads, mode, read, notes }: TextType): ExpectationType {
  return defineExpectation({
    type,
    category: "Text matching",
    reads,
    passes: passes[mode],
    ...(notes ? { notes } : {}),
    parameters: patternParameters,
    check: ({ patterns, ignore_case }, output) => searchPatterns(mode, compileAll(patterns, ignore_case), read(output)),
  });
}

const response = (output: OutputReader) => output.text("response");
const body = (output: OutputReader) => output.text(...bodyKeys);

/** `output.tldr`, else the paragraph after a TL;DR line. */
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
    notes: "all of them; `response_contains_any` needs only one",
  }),
  textType({
    type: "response_excludes",
    reads: "output.response",
    mode: "none",
    read: response,
  }),
  textType({
    type: "response_contains_any",
    reads: "output.response",
    mode: "any",
    read: response,
  }),
  textType({
    type: "body_contains",
    reads: "output.body → structured_content",
    mode: "all",
    read: body,
    notes: "subject and title are not searched",
  }),
  textType({
    type: "body_excludes",
    reads: "output.body → structured_content",
    mode: "none",
    read: body,
  }),
  textType({
    type: "body_contains_any",
    reads: "output.body → structured_content",
    mode: "any",
    read: body,
  }),
  textType({
    type: "title_excludes",
    reads: "output.title",
    mode: "none",
    read: (output) => output.text("title"),
  }),
  textType({
    type: "tldr_excludes",
    reads: "output.tldr → the paragraph after a `TL;DR` line or header in body",
    mode: "none",
    read: readTldr,
  }),
  textType({
    type: "reasoning_contains",
    reads: "output.reasoning",
    mode: "all",
    read: (output) => output.text("reasoning"),
  }),
];
