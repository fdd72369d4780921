/** `docs/eval-formats.md`: the formats that can be imported and exported, generated from the importers and exporters. */
import { exporters, importers } from "@devflow/evals/interop";
import { generatedFrom, markdownTable } from "./markdown.ts";

export function evalFormatsPage(): string {
  return `# Eval formats

${generatedFrom("packages/evals/src/interop")}

\`devflow eval push <file>\` detects the format from the file's name and first bytes; \`--as <format>\` sets it. Every import reports what
it could not carry over. ERROR (the case did not run, or its judge failed) is always distinguished from FAIL. If a tool writes scores but
no verdict, a result passes when every score is at least 0.5; \`--pass-at\` changes this.

Files are streamed: JSON, JSONL, JUnit, CSV and \`.eval\` need only enough memory for their largest record (tested with 1 GB under
300 MB). Evaluations that must be joined (\`oaieval\`, OTLP) are held in memory, up to 256 MB; evalite's, one eval at a time.
These are refused with an error message: archives that unpack to more than 250 times their size, entries with paths outside the archive,
encrypted entries, wrong sizes and checksums, XML with a document type definition, JSON nested deeper than 400 levels, and records of more
than 64 MB. NaN and infinities are read as missing values, and counted.

## Import

${markdownTable(
  ["format", "what it is", "made by", "carried over", "lost", "the tool's own counts"],
  importers.map(({ id, title, madeBy, carried, lost, counts }) => [
    `\`${id}\``,
    title,
    madeBy,
    listed(carried),
    listed(lost),
    counts,
  ]),
)}

## Export

\`devflow eval export <run> --as junit\`

${markdownTable(
  ["format", "what it is", "carried over", "lost"],
  exporters.map(({ id, title, carried, lost }) => [`\`${id}\``, title, listed(carried), listed(lost)]),
)}
`;
}

function listed(parts: readonly string[]): string {
  return parts.length === 0 ? "nothing" : parts.join("; ");
}
