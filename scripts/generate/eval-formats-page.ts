/** `docs/eval-formats.md`: what is read from and written for other eval tools, from the importers and exporters themselves. */
import { exporters, importers } from "@devflow/evals/interop";
import { generatedFrom, markdownTable } from "./markdown.ts";

export function evalFormatsPage(): string {
  return `# Eval formats

${generatedFrom("packages/evals/src/interop")}

\`devflow eval push <file>\` finds the format by looking at the file's name and first bytes; \`--as <format>\` says it. Every import
tells what it could not carry over. ERROR (it never ran, or its judge failed) is kept apart from FAIL everywhere. Where a tool
writes scores and no verdict, a result passes when every score is at least 0.5.

Files are streamed: JSON, JSONL, JUnit, CSV and \`.eval\` need memory for their largest record, whatever their size (tested with 1 GB
under 300 MB). Evaluations that have to be joined (\`oaieval\`, OTLP) are held, up to 256 MB of them; evalite's one eval at a time.
Refused with a sentence: archives that unpack to
more than 250 times their size, entries that point outside, encrypted entries, wrong sizes and checksums, XML with a document type
definition, JSON that nests deeper than 400 levels, records of more than 64 MB. NaN and infinities are read as missing, and counted.

## In

${markdownTable(
  ["format", "what it is", "made by", "carried", "lost", "the tool's own counts"],
  importers.map(({ id, title, madeBy, carried, lost, counts }) => [
    `\`${id}\``,
    title,
    madeBy,
    listed(carried),
    listed(lost),
    counts,
  ]),
)}

## Out

\`devflow eval export <run> --as junit\`

${markdownTable(
  ["format", "what it is", "carried", "lost"],
  exporters.map(({ id, title, carried, lost }) => [`\`${id}\``, title, listed(carried), listed(lost)]),
)}
`;
}

function listed(parts: readonly string[]): string {
  return parts.length === 0 ? "nothing" : parts.join("; ");
}
