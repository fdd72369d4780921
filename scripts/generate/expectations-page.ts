/** `docs/expectations.md`: all expectation types, generated from the registry. */
import { type ExpectationType, expectationTypes } from "@devflow/evals/expectations";
import { examplesOf } from "@devflow/evals/testing";
import { z } from "zod";
import { generatedFrom, markdownTable } from "./markdown.ts";

export function expectationsPage(): string {
  const categories = [...new Set(expectationTypes.map(({ category }) => category))];
  const sections = categories.map((category) => {
    const members = expectationTypes.filter((one) => one.category === category);
    const rows = members.map((one) => [`\`${one.type}\``, one.reads, parametersOf(one), passesOf(one)]);
    const shown = members.map(exampleOf).join("\n");
    return `## ${category}\n\n${markdownTable(["type", "reads", "parameters", "passes when"], rows)}\n\n\`\`\`yaml\n${shown}\n\`\`\``;
  });
  return `# Expectations

${generatedFrom("packages/evals/src/expectations")}

The ${expectationTypes.length} types of expectations that a case can set for an output. The JSON Schema of case files is
[schemas/eval-case@1.json](../schemas/eval-case@1.json).

\`\`\`yaml
name: must_cite_sources
category: post_generation
tags: [regression]
text: "Everything that is not metadata is the case's input."
expectations:
  - type: body_contains
    patterns: ["Series B", "/\\\\$\\\\d+M/"]
  - subject_not_empty
\`\`\`

These rules apply to every type:

1. \`output\` is the result's output; a plain string stands for \`{response, body}\`. "a → b" means the first one that is present and not
   null. TEXT is body → structured_content → response → text. \`input\` is the case's input.
2. **PASS, FAIL, ERROR.** If the output lacks a field, the result is FAIL, also for \`*_excludes\`, \`*_not\` and \`max_*\`, so that a crash
   does not pass. An empty string or \`[]\` counts as present. If the *case* lacks something, the result is ERROR: the check could not run.
   A wrong JSON type is FAIL. A check that breaks, a pattern that hits its limit and a judge that fails are ERROR, and a negation does not
   turn them into a pass.
3. Bounds are inclusive, and an omitted bound is open; \`above\` and \`below\` are strict. A lower bound above the upper one, an unknown
   key, empty \`patterns\` or \`criteria\`, and a negative count are errors in the file, reported before anything runs.
4. Text is compared after Unicode NFC normalisation and CRLF → LF. Characters are code points. A word is a token between white space that
   contains a letter or digit; in Chinese, Japanese, Korean and Thai, a word of the language.
5. A pattern is plain text and case-sensitive. \`/re/flags\` with flags from \`imsu\` is a regular expression in RE2 syntax, with linear
   time and no look-around. \`{text: "/usr/lib/"}\` forces plain text, \`{regex, flags}\` a regular expression. \`ignore_case: true\` applies
   to all patterns of an expectation.
6. Labels (channel, category, severity, theme, content type) are compared after trimming and case folding, with \`-\` and spaces as \`_\`.
7. Severities: green (none, info, pass, ok) < yellow (low, minor, warning) < orange (medium, moderate) < red (high, major,
   error) < critical (blocker); a suite can declare its own \`severity_order\`.
8. A URL is http(s), in a Markdown link, an autolink, an HTML \`href\`, or plain. URLs are compared by host, path and query, without
   \`www.\`, fragment, \`utm_*\` and a trailing slash.
9. A header is \`#\` to \`######\` and a space, an underlined line, or HTML \`h1\` to \`h6\`, outside fenced code.
10. Every failure reports what was expected, what was found, and where.

${sections.join("\n\n")}
`;
}

function passesOf({ passes, notes }: ExpectationType): string {
  return notes ? `${passes}. ${notes[0]?.toUpperCase()}${notes.slice(1)}.` : passes;
}

function parametersOf({ parameters }: ExpectationType): string {
  const schema = z.toJSONSchema(parameters, { io: "input", unrepresentable: "any" }) as {
    properties?: Record<string, { default?: unknown }>;
    required?: string[];
  };
  const names = Object.entries(schema.properties ?? {}).map(([name, { default: usual }]) => {
    if (usual !== undefined) return `\`${name}\` (${JSON.stringify(usual)})`;
    return schema.required?.includes(name) ? `**\`${name}\`**` : `\`${name}\``;
  });
  return names.join(", ") || "–";
}

function exampleOf({ type }: ExpectationType): string {
  const given = examplesOf(type).examples.find(({ is }) => is === "pass")?.given ?? {};
  // JSON is valid YAML; spaces make it readable.
  const text = JSON.stringify({ type, ...given }, null, 1).replace(/\n\s*/g, " ");
  return `- ${text.replace(/^\{ |\B \}$/g, (end) => end.trim()).replace(/"(\w+)":/g, "$1:")}`;
}
