/** `docs/expectations.md`: every expectation type, from the registry. */
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

What a case of a suite may expect of an output: ${expectationTypes.length} types. The files are described by
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

These rules hold for every type:

1. \`output\` is the result's output; a bare text means \`{response, body}\`. "a → b" is the first that is there and not null.
   TEXT is body → structured_content → response → text. \`input\` is the case.
2. **PASS, FAIL, ERROR.** A field that the output lacks is FAIL, also for \`*_excludes\`, \`*_not\` and \`max_*\`: a crash does not
   pass by emptiness. An empty text or \`[]\` is there. What the *case* lacks is ERROR: the check could not run. A wrong JSON
   type is FAIL. A check that breaks, a pattern that hits its limit, a judge that fails are ERROR, and no negation turns that into a pass.
3. Bounds are inclusive, one that is left out is open; \`above\` and \`below\` are strict. A lower bound above its upper one, an
   unknown key, empty \`patterns\` or \`criteria\` and a negative count are faults of the file, found before anything runs.
4. Text is compared after Unicode NFC and CRLF → LF. Characters are code points. A word is a token between white space with
   a letter or digit in it; in Chinese, Japanese, Korean and Thai, a word of the language.
5. A pattern is plain text, case-sensitive; \`/re/flags\` with flags of \`imsu\` is a regular expression in RE2's syntax, in linear
   time and without look-around; \`{text: "/usr/lib/"}\` forces text, \`{regex, flags}\` an expression. \`ignore_case: true\` holds for all
   patterns of an expectation.
6. Labels (channel, category, severity, theme, content type) are equal after trimming, case folding, and \`-\` and spaces as \`_\`.
7. Severities: green (none, info, pass, ok) < yellow (low, minor, warning) < orange (medium, moderate) < red (high, major,
   error) < critical (blocker); a suite may declare its own \`severity_order\`.
8. A web address is http(s) in a Markdown link, an autolink, an HTML \`href\` or bare. Compared are host, path and query, without
   \`www.\`, fragment, \`utm_*\` and a trailing slash.
9. A header is \`#\` to \`######\` and a space, an underlined line, or HTML \`h1\` to \`h6\`, outside fenced code.
10. Every failure carries what was expected, what was there, and the place.

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
  // JSON is YAML too; spaces make it readable.
  const text = JSON.stringify({ type, ...given }, null, 1).replace(/\n\s*/g, " ");
  return `- ${text.replace(/^\{ |\B \}$/g, (end) => end.trim()).replace(/"(\w+)":/g, "$1:")}`;
}
