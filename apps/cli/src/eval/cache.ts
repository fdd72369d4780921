/**
 * `devflow eval cache …`, for runners in any language: one process per call, JSON in and out, exit code 1 for a miss.
 */

import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CommandContext, CommandHandler, HandlerOf, InputOf } from "@devflow/core/command";
import { environmentOf } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { plainLine } from "@devflow/core/plain-text";
import { processIdentity } from "@devflow/core/process-proof";
import { type CacheKey, cacheKeyOf, clearBeforeRun, dollars, type EvalCache, openCache } from "@devflow/evals";
import { clearJudgeCache, judgeCacheStats } from "@devflow/evals/judges";
import { painter } from "../paint.ts";
import { textTable } from "../text-table.ts";
import type {
  evalCacheClearRecord,
  evalCacheReadRecord,
  evalCacheWhyRecord,
  evalCacheWriteRecord,
} from "./cache-commands.ts";
import { plural } from "./words.ts";

type KeyInput = InputOf<typeof evalCacheReadRecord>;

async function cacheOf(context: CommandContext): Promise<EvalCache> {
  const { home } = context.config();
  const { EVAL_CACHE, EVAL_CACHE_CLEAR } = environmentOf(context.env);
  const cache = openCache(home, { isEnabled: EVAL_CACHE !== "0" });
  if (EVAL_CACHE_CLEAR && EVAL_CACHE_CLEAR !== "0") {
    const runner = { pid: process.ppid, identity: processIdentity(process.ppid) ?? "gone" };
    await clearBeforeRun(home, cache, runner);
  }
  return cache;
}

const judgesFolder = (context: CommandContext): string => join(context.config().home, "eval-judge-cache");

export const readCache: HandlerOf<typeof evalCacheReadRecord> = async (input, context) => {
  const cache = await cacheOf(context);
  const { key } = await keyOf(input, context);
  const data = await cache.read(input.suite, key);
  if (data !== undefined) {
    context.output.result(data, JSON.stringify(data));
    return 0;
  }
  context.output.note(
    `Miss: ${input.suite} has no entry ${key}.${input.key === undefined ? " To see why: devflow eval cache why, with the same flags" : ""}`,
  );
  return 1;
};

export const writeCache: HandlerOf<typeof evalCacheWriteRecord> = async (input, context) => {
  const cache = await cacheOf(context);
  // If the key is computed from its parts, the argument after the suite is the output.
  const isDerived = hasParts(input) && input.data === undefined && !/^[\w.-]+$/.test(input.key ?? "");
  const given = isDerived ? { ...input, key: undefined, data: input.key } : input;
  const { key, parts } = await keyOf(given, context);
  const text = given.data === undefined || given.data === "-" ? await context.readStdin() : given.data;
  const data = parseJson(text, "The output");
  await cache.write(input.suite, key, data, { caseName: input.case ?? null, ...(parts ? { parts } : {}) });
  context.output.result({ suite: input.suite, key }, key);
};

export const whyMiss: HandlerOf<typeof evalCacheWhyRecord> = async (input, context) => {
  const { key, parts } = await keyOf(input, context);
  const facts = { caseName: input.case ?? null, ...(parts ? { parts } : {}) };
  const answer = await openCache(context.config().home).why(input.suite, key, facts);
  const paint = painter(context);
  const text = () => {
    if (answer.isHit) return `${paint("Hit", "green")}: ${key} is cached.`;
    if (answer.nearestKey === null) {
      const what = input.case === undefined ? "the suite" : plainLine(input.case);
      const unknown = parts ? "" : " Give --file and --input to compare it.";
      return `${paint("Miss", "yellow")}: ${key}. No cached entry of ${what} records what its key was computed from.${unknown}`;
    }
    const changes = (answer.differences ?? []).map((one) => `  ${plainLine(one)}`);
    return [
      `${paint("Miss", "yellow")}: ${key}. Differences from the nearest entry, ${answer.nearestKey}:`,
      ...changes,
    ].join("\n");
  };
  context.output.result({ suite: input.suite, key, ...answer }, text());
};

export const cacheStats: CommandHandler = async (_input, context) => {
  const suites = await openCache(context.config().home).stats();
  const judges = await judgeCacheStats(judgesFolder(context));
  const { EVAL_CACHE } = environmentOf(context.env);
  const paint = painter(context);
  const day = (at: string | null) => at?.slice(0, 10) ?? "";
  const rows = suites.map(({ suite, entries, bytes, oldest, newest, hits, savedUsd, unpricedHits }) => [
    plainLine(suite),
    String(entries),
    size(bytes),
    oldest === null ? "" : `${day(oldest)} … ${day(newest)}`,
    String(hits),
    `${dollars(savedUsd)}${unpricedHits > 0 ? ` + ${unpricedHits} unpriced` : ""}`,
  ]);
  const sum = (pick: (one: (typeof suites)[number]) => number) => suites.reduce((all, one) => all + pick(one), 0);
  const total = [
    "all",
    String(sum((one) => one.entries)),
    size(sum((one) => one.bytes)),
    "",
    String(sum((one) => one.hits)),
    dollars(sum((one) => one.savedUsd)),
  ];
  const table = textTable(
    [
      { title: "suite" },
      { title: "entries", align: "right" },
      { title: "size", align: "right" },
      { title: "from … to" },
      { title: "hits", align: "right" },
      { title: "saved", align: "right" },
    ],
    suites.length > 1 ? [...rows, total] : rows,
  );
  const [head = "", ...body] = table.split("\n");
  const votes =
    judges.entries === 0
      ? "Judges' votes: none cached."
      : `Judges' votes: ${judges.entries} cached, ${size(judges.bytes)}, ${plural(judges.hits, "hit")}, ${dollars(judges.savedUsd)} saved${judges.unpricedHits > 0 ? ` + ${judges.unpricedHits} unpriced` : ""}.`;
  const text = [
    ...(suites.length === 0
      ? ["No outputs are cached. To cache one: devflow eval cache write"]
      : [paint(head, "dim"), ...body]),
    votes,
    ...(EVAL_CACHE === "0" ? ["EVAL_CACHE=0: the cache is off."] : []),
  ].join("\n");
  context.output.result({ suites, judges, isEnabled: EVAL_CACHE !== "0" }, text);
};

export const verifyCache: CommandHandler = async (_input, context) => {
  const { checked, faults } = await openCache(context.config().home).verify();
  const paint = painter(context);
  const lines = faults
    .slice(0, 50)
    .map(({ path, problem }) => `  ${paint("damaged", "red")}  ${path}: ${plainLine(problem)}`);
  const text = [
    `${plural(checked, "cached output")} checked, ${faults.length === 0 ? paint("none damaged", "green") : paint(`${faults.length} damaged`, "red")}.`,
    ...lines,
    ...(faults.length > lines.length ? [`  and ${faults.length - lines.length} more`] : []),
    ...(faults.length > 0
      ? ["Damaged entries count as misses and are replaced. To delete the whole cache: devflow eval cache clear"]
      : []),
  ];
  context.output.result({ checked, faults }, text.join("\n"));
  return faults.length > 0 ? 1 : 0;
};

export const clearCache: HandlerOf<typeof evalCacheClearRecord> = async ({ suite, judges }, context) => {
  if (judges && suite !== undefined) {
    throw usage("Judges' votes belong to no suite: use --judges without a suite.", "devflow eval cache clear --judges");
  }
  const gone = judges
    ? await clearJudgeCache(judgesFolder(context))
    : await openCache(context.config().home).clear(suite);
  const what = judges ? "vote" : "cached output";
  context.output.result({ cleared: gone }, `${plural(gone, what)} deleted.`);
};

const hasParts = ({ file, input }: KeyInput): boolean => file.length > 0 || input !== undefined;

async function keyOf(given: KeyInput, context: CommandContext): Promise<Partial<CacheKey> & { key: string }> {
  if (!hasParts(given)) {
    if (given.key !== undefined) return { key: given.key };
    throw usage("No key was given.", "Give a key, or what it is computed from: --file <source> --input <json>");
  }
  const files: Record<string, Uint8Array> = {};
  for (const path of given.file) files[path] = await read(path, context.cwd);
  const made = cacheKeyOf({ files, input: await inputOf(given.input, context.cwd), attempt: given.attempt });
  return { key: given.key ?? made.key, parts: made.parts };
}

async function inputOf(given: string | undefined, cwd: string): Promise<unknown> {
  if (given === undefined) return null;
  if (!given.startsWith("@")) return parseJson(given, "--input");
  return parseJson(new TextDecoder().decode(await read(given.slice(1), cwd)), given.slice(1));
}

async function read(path: string, cwd: string): Promise<Uint8Array> {
  return await readFile(resolve(cwd, path)).catch((cause) => {
    throw new DevflowError("not_found", {
      details: { what: `The file ${path}`, next: "Check the path." },
      cause,
    });
  });
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const problem =
      text.trim() === "" ? `${what} is empty.` : `${what} is not valid JSON: ${(cause as Error).message}.`;
    throw new DevflowError("input_invalid", {
      details: { problem, next: `Give JSON: devflow eval cache write my_suite abc123 '{"response":"…"}'` },
      cause,
    });
  }
}

function usage(problem: string, next: string): DevflowError {
  return new DevflowError("usage", { details: { problem, next } });
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["kB", "MB", "GB"];
  let value = bytes / 1024;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit += 1) value /= 1024;
  return `${value.toFixed(1)} ${units[unit]}`;
}
