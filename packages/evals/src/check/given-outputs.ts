/**
 * Reads existing outputs from a file or a folder.
 *
 * - `readOutputs(path)` all outputs with their case names, in order; several with one name are repeats.
 * - `outputsFor(case, index, sameName)` the outputs of one case, or why there are none.
 *
 * A file is a JSON list of `{ name, output }`, an object from name to output, a result file (`all_results`, `results`), or
 * JSON lines. In a folder each file is one output: `<name>.json`, `.txt` or `.md`; `<name>.2.json` is a repeat.
 */
import { open, readdir, readFile, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { createInterface } from "node:readline";
import { DevflowError } from "@devflow/core/errors";
import type { EvalCase } from "../cases/index.ts";
import { asCaseOutput, type CaseOutput, type CaseOutputs, isMembers, readEnvelope } from "./case-output.ts";

export interface KnownOutput {
  readonly name: string;
  readonly inputSha: string | undefined;
  readonly raw: unknown;
  readonly output: CaseOutput;
}

const maxBytes = 512 * 1024 * 1024;

export async function readOutputs(path: string): Promise<KnownOutput[]> {
  const facts = await stat(path).catch((cause) => {
    throw new DevflowError("not_found", {
      details: { what: `The outputs ${path}`, next: "Give a JSON file, a folder, or a command after --" },
      cause,
    });
  });
  if (facts.isDirectory()) return await readFolder(path);
  if (/\.(?:jsonl|ndjson)$/.test(path)) return await readLines(path);
  if (facts.size > maxBytes)
    throw unusable(path, `is larger than ${maxBytes} bytes; write JSON lines (.jsonl) instead`);
  const text = stripMark(await readFile(path, "utf8"));
  try {
    return fromDocument(JSON.parse(text), path);
  } catch (error) {
    if (error instanceof DevflowError) throw error;
    if (/^\s*\{[^\n]*\}\s*\n\s*\{/.test(text)) return await readLines(path);
    throw unusable(path, `is not valid JSON: ${(error as Error).message}`);
  }
}

function fromDocument(document: unknown, path: string): KnownOutput[] {
  if (Array.isArray(document)) return document.map((one, index) => fromRecord(one, `${path}[${index}]`));
  if (!isMembers(document)) throw unusable(path, "is neither a list nor an object");
  const results = document.all_results ?? document.results;
  if (Array.isArray(results)) return results.map((one, index) => fromRecord(one, `${path} result ${index + 1}`));
  return Object.entries(document).flatMap(([name, one]) => {
    const repeats = Array.isArray(one) ? one : [one];
    return repeats.map((raw) => ({ name, inputSha: undefined, raw, output: asCaseOutput(raw) }));
  });
}

function fromRecord(record: unknown, place: string): KnownOutput {
  if (!isMembers(record) || typeof record.name !== "string") throw unusable(place, "has no name");
  return {
    name: record.name,
    inputSha: typeof record.input_sha === "string" ? record.input_sha : undefined,
    raw: record,
    output: readEnvelope(record),
  };
}

async function readLines(path: string): Promise<KnownOutput[]> {
  const file = await open(path);
  const found: KnownOutput[] = [];
  let number = 0;
  try {
    for await (const line of createInterface({
      input: file.createReadStream({ encoding: "utf8" }),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      number += 1;
      const text = stripMark(line).trim();
      if (text === "") continue;
      let record: unknown;
      try {
        record = JSON.parse(text);
      } catch (error) {
        throw unusable(`${path}:${number}`, `is not valid JSON: ${(error as Error).message}`);
      }
      found.push(fromRecord(record, `${path}:${number}`));
    }
  } finally {
    await file.close().catch(() => undefined);
  }
  return found;
}

async function readFolder(folder: string): Promise<KnownOutput[]> {
  const names = (await readdir(folder, { withFileTypes: true })).filter(
    (one) => one.isFile() && /\.(?:json|txt|md)$/.test(one.name),
  );
  const sorted = names.map(({ name }) => name).sort(new Intl.Collator("en", { numeric: true }).compare);
  const found: KnownOutput[] = [];
  for (const name of sorted) {
    const path = join(folder, name);
    if ((await stat(path)).size > maxBytes) throw unusable(path, `is larger than ${maxBytes} bytes`);
    const text = stripMark(await readFile(path, "utf8"));
    const kind = extname(name);
    let raw: unknown = text;
    try {
      if (kind === ".json") raw = JSON.parse(text);
    } catch (error) {
      throw unusable(path, `is not valid JSON: ${(error as Error).message}`);
    }
    found.push({ name: basename(name, kind), inputSha: undefined, raw, output: asCaseOutput(raw) });
  }
  return found;
}

const stripMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text);

function unusable(place: string, problem: string): DevflowError {
  return new DevflowError("input_invalid", {
    details: { problem: `${place} ${problem}.`, next: 'Outputs must be a JSON list of {"name": …, "output": …}' },
  });
}

/** A case's name as it may appear in a file name. */
const fileKey = (name: string): string => name.normalize("NFC").replace(/[^\p{L}\p{N}._-]+/gu, "_");

export interface OutputIndex {
  /** Outputs with this name and input, or else those with this name or file name and no input. */
  find(name: string, inputSha: string): { readonly outputs: readonly KnownOutput[]; readonly isExact: boolean };
  has(name: string): boolean;
  /** Names that belong to no case. */
  unused(): string[];
}

export function outputIndex(known: readonly KnownOutput[]): OutputIndex {
  const exactly = (name: string, inputSha: string | undefined) => `${inputSha ?? ""}\n${name}`;
  const byInput = Map.groupBy(known, ({ name, inputSha }) => exactly(name, inputSha));
  const unsaid = known.filter(({ inputSha }) => inputSha === undefined);
  const byFile = Map.groupBy(unsaid, ({ name }) => fileKey(name.replace(/\.\d+$/, "")));
  const names = new Set(known.map(({ name }) => name));
  const used = new Set<string>();
  return {
    find(name, inputSha) {
      const own = byInput.get(exactly(name, inputSha));
      const outputs = own ?? byInput.get(exactly(name, undefined)) ?? byFile.get(fileKey(name)) ?? [];
      for (const one of outputs) used.add(one.name);
      return { outputs, isExact: own !== undefined };
    },
    has: (name) => names.has(name),
    unused: () => [...names].filter((name) => !used.has(name)),
  };
}

/** `sameName`: how many cases have this name. */
export function outputsFor(
  given: EvalCase,
  index: OutputIndex,
  sameName: number,
): CaseOutputs[] | { readonly problem: string } {
  const { outputs, isExact } = index.find(given.name, given.inputSha);
  if (outputs.length === 0) {
    return { problem: index.has(given.name) ? "its outputs have a different input" : "no output was found" };
  }
  if (sameName > 1 && !isExact) {
    return { problem: `${sameName} cases have the name "${given.name}"; give the outputs an input_sha` };
  }
  return outputs.map((one) => asOutputs(given, one));
}

function asOutputs({ comparison, tierChain }: EvalCase, { raw, output }: KnownOutput): CaseOutputs {
  const both = [raw, output.output].find((one) => isMembers(one) && "control" in one && "treatment" in one);
  if (comparison && isMembers(both)) {
    return { kind: "ab", control: asCaseOutput(both.control), treatment: asCaseOutput(both.treatment) };
  }
  const chain = [raw, output.output].find((one) => isMembers(one) && Array.isArray(one.tier_chain));
  if (tierChain && isMembers(chain)) return { kind: "chain", steps: (chain.tier_chain as unknown[]).map(asCaseOutput) };
  return { kind: "one", one: output };
}
