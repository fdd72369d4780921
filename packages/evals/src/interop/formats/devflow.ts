/** Our own format: JSON with `all_results` (or `results`), and JSONL whose first line may be the run. */
import type { EvalResult, ImportedRun } from "../../results/result.ts";
import { resultFromRecord, runFromRecord, statusFromRecord } from "../devflow-record.ts";
import { type Fields, fields, number, shaOf, text } from "../fields.ts";
import {
  again,
  fileTitle,
  type Importer,
  notNumbersWarning,
  type Reading,
  Repeats,
  runOf,
  Tally,
} from "../importer.ts";
import { jsonLines } from "../json-lines.ts";
import { streamJson } from "../json-stream.ts";
import { askLenient, refuse } from "../refuse.ts";

export const devflow: Importer = {
  id: "devflow",
  title: "Devflow's own JSON and JSONL",
  madeBy: "devflow eval check, devflow eval export --as jsonl, a collector in any language",
  carried: ["everything, with members that are not known"],
  lost: [],
  counts: "total, passed, failed, errors and skipped; they are recomputed",
  recognises: (head) =>
    ["schema_version", "all_results", "suite"].some((path) => head.members.has(path)) ||
    (head.members.has("name") && (head.members.has("passed") || head.members.has("status"))) ||
    (head.members.has("results") && /"results"\s*:\s*\[\s*(?:\{\s*"name"|\])/.test(head.text)),
  read,
};

type Part =
  | { readonly kind: "record"; readonly where: string; readonly value: Fields }
  | { readonly kind: "run"; readonly value: Fields }
  | { readonly kind: "warning"; readonly warning: string };

async function* partsOf(reading: Reading): AsyncGenerator<Part> {
  const { source, limits } = reading;
  const head = new TextDecoder().decode((await source.head()).subarray(0, 4096)).trimStart();
  if (await isOneDocument(reading, head)) {
    const plan = head.replace(/^\uFEFF/, "").startsWith("[")
      ? "stream"
      : ({ all_results: "stream", results: "stream" } as const);
    for await (const part of streamJson(source.text(), plan, source.name, limits)) {
      if (part.kind === "item") yield { kind: "record", where: `${part.of}[${part.index}]`, value: fields(part.value) };
      else {
        yield { kind: "run", value: fields(part.value) };
        for (const warning of notNumbersWarning(part.notNumbers)) yield { kind: "warning", warning };
        for (const key of part.repeatedKeys)
          yield { kind: "warning", warning: `"${key}" stands twice; the last one counts` };
      }
    }
    return;
  }
  for await (const line of jsonLines(source, reading)) {
    if ("fault" in line) yield { kind: "warning", warning: line.fault };
    else {
      const value = fields(line.value);
      if (line.line === 1 && !("name" in value)) yield { kind: "run", value };
      else yield { kind: "record", where: `line ${line.line}`, value };
      for (const warning of notNumbersWarning(line.notNumbers))
        yield { kind: "warning", warning: `line ${line.line}: ${warning}` };
    }
  }
}

async function isOneDocument({ source }: Reading, head: string): Promise<boolean> {
  if (/\.(?:jsonl|ndjson)$/i.test(source.name)) return false;
  const text = head.replace(/^\uFEFF/, "");
  if (text.startsWith("[") || !/^\{[^\n]*\}[ \t]*\r?(?:\n|$)/.test(text)) {
    // A first line longer than the head: a record has a name, a document has results.
    return (
      text.startsWith("[") ||
      text.slice(0, 1).concat(text.slice(1).trimStart().slice(0, 7)) !== '{"name":' ||
      text.includes("\n")
    );
  }
  return /"(?:all_)?results"\s*:/.test(text.split("\n", 1)[0] ?? "");
}

async function* read(reading: Reading): AsyncGenerator<ImportedRun> {
  const { source, lenient } = reading;
  const tally = new Tally();
  const warnings: string[] = [];
  let header: Fields = {};
  for await (const part of partsOf(reading)) {
    if (part.kind === "run") header = part.value;
    else if (part.kind === "warning") warnings.push(part.warning);
    else {
      const status = statusFromRecord(part.value);
      if (status !== null && text(part.value.name) !== null) tally.add(status);
      else {
        const why = status === null ? "has neither passed (true or false) nor a known status" : "has no name";
        if (!lenient) throw refuse(`${source.name}, ${part.where} ${why}.`, askLenient);
        warnings.push(`${part.where} ${why}; it was left out`);
      }
    }
  }
  const { totals } = tally;
  const said = number(header.total);
  if (said !== null && (said !== totals.total || (number(header.passed) ?? totals.passed) !== totals.passed)) {
    warnings.push(
      `the file says ${header.passed} of ${said} passed, its results ${totals.passed} of ${totals.total}; the results count`,
    );
  }
  const known = runFromRecord(header);
  const run = await runOf(reading, { suite: fileTitle(source), source: "devflow", ...known, totals });
  yield { run, results: again(() => resultsOf(reading)), losses: [], warnings };
}

async function* resultsOf(reading: Reading): AsyncGenerator<EvalResult> {
  const repeats = new Repeats();
  for await (const part of partsOf(reading)) {
    if (part.kind !== "record") continue;
    const name = text(part.value.name);
    const status = statusFromRecord(part.value);
    if (name === null || status === null) continue;
    const counted = repeats.next(name, text(part.value.input_sha) ?? shaOf(part.value.input));
    yield resultFromRecord(part.value, status, number(part.value.repeat) ?? counted);
  }
}
