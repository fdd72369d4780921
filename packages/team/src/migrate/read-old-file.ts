/**
 * What a file of an older tool says, as the payloads of today. Pure: the caller reads the file.
 *
 * - `readOldFile(file, text, repo)` payloads of this repository, how many are of others, how many entries have no place in a team's
 *   records, and what could not be read, with the reason. A file that is wrong in one place still gives the rest.
 * - `standardEvalFile(text)` a results file of gstack's own test collector in the format of `eval push`; other files as they are.
 */
import { hash } from "@devflow/core/hash";
import { uuidv5 } from "@devflow/core/ids";
import { parseJson } from "@devflow/core/read-if-there";
import { z } from "zod";
import { type FilePayload, filePayloads } from "../records/index.ts";
import { belongsTo, type OldFile } from "./old-files.ts";

export interface OldContent {
  readonly records: readonly { readonly what: FilePayload; readonly payload: object }[];
  /** Of other repositories. */
  readonly elsewhere: number;
  /** Entries that are only counted. */
  readonly counted: number;
  readonly unread: readonly string[];
}

const nothing: OldContent = { records: [], elsewhere: 0, counted: 0, unread: [] };

export function readOldFile(file: OldFile, text: string, repo: string | null): OldContent {
  if (file.slug !== null && !belongsTo(repo, file.slug)) return { ...nothing, elsewhere: entriesIn(file, text) };
  switch (file.sort) {
    case "retro":
      return one("retro", retroOf(parseJson(text), file.path));
    case "qa":
      return one("qa", file.path.endsWith(".md") ? reportOf(text) : baselineOf(parseJson(text)));
    case "triage":
      return triageOf(text, repo);
    case "queue":
      return queueOf(parseJson(text), repo);
    case "timeline":
    case "learnings":
      return { ...nothing, counted: linesIn(text).length };
    case "eval":
      return nothing;
  }
}

function one(what: FilePayload, given: unknown): OldContent {
  if (given === undefined) return { ...nothing, unread: ["it is not JSON"] };
  if (typeof given === "string") return { ...nothing, unread: [given] };
  const parsed = filePayloads[what].schema.safeParse(given);
  if (parsed.success) return { ...nothing, records: [{ what, payload: given as object }] };
  const [issue] = parsed.error.issues;
  return { ...nothing, unread: [`${issue?.path.join(".")}: ${issue?.message ?? "not valid"}`] };
}

const Loose = z.record(z.string(), z.unknown());

/** Later versions leave out the window, or name the file by the day only. */
function retroOf(value: unknown, path: string): unknown {
  const retro = Loose.safeParse(value).data;
  if (!retro) return value === undefined ? undefined : "it is not an object";
  const { window, date, metrics = {}, ...rest } = retro;
  return {
    ...rest,
    date: typeof date === "string" ? date.slice(0, 10) : /(\d{4}-\d\d-\d\d)/.exec(path)?.[1],
    window: typeof window === "string" ? window : "7d",
    metrics,
  };
}

function baselineOf(value: unknown): unknown {
  const report = Loose.safeParse(value).data;
  if (!report) return value === undefined ? undefined : "it is not an object";
  const { url, mode, healthScore, health_score, issues, ...rest } = report;
  const score = healthScore ?? health_score;
  return {
    ...rest,
    url,
    mode: mode ?? "full",
    ...(typeof score === "number" ? { health_score: score } : {}),
    ...(Array.isArray(issues) ? { issues } : {}),
  };
}

/** A report is Markdown with a table of facts. */
function reportOf(text: string): unknown {
  const cell = (name: string) => new RegExp(`\\*\\*${name}:?\\*\\*:?[ |]*([^|\\n]+)`, "i").exec(text)?.[1]?.trim();
  const url = cell("URL") ?? /https?:\/\/[^\s|)>]+/.exec(text)?.[0];
  if (url === undefined) return "the report names no URL";
  const score = /health score[^\d\n]*(\d{1,3})(?:\.\d+)?\s*(?:\/\s*100)?/i.exec(text)?.[1];
  return {
    ...{ url, mode: cell("Mode")?.toLowerCase().slice(0, 100) ?? "full" },
    ...(score === undefined ? {} : { health_score: Math.min(100, Number(score)) }),
    report_markdown: text.slice(0, 200_000),
  };
}

/** `2026-03-13 | owner/repo | fp | src/*.ts | null-check`, one per line. */
function triageOf(text: string, repo: string | null): OldContent {
  const records: { what: FilePayload; payload: object }[] = [];
  const unread: string[] = [];
  let elsewhere = 0;
  for (const [number, line] of text.split("\n").entries()) {
    if (line.trim() === "" || /^\s*(#|\|?\s*-{3})/.test(line)) continue;
    const [date, place = "", outcome, file_pattern, category] = line.split("|").map((cell) => cell.trim());
    const payload = { date, outcome, file_pattern, category, reviewer: "greptile" };
    const parsed = filePayloads.triage.schema.safeParse(payload);
    if (!parsed.success) unread.push(`line ${number + 1}: ${parsed.error.issues[0]?.path.join(".")} is not valid`);
    else if (!belongsTo(repo, place)) elsewhere += 1;
    else records.push({ what: "triage", payload });
  }
  return { ...nothing, records, elsewhere, unread };
}

const ofTable: Readonly<Record<string, FilePayload>> = {
  retro_snapshots: "retro",
  greptile_triage: "triage",
  qa_reports: "qa",
  ship_logs: "ship",
};
const Row = z.looseObject({ table: z.string(), data: Loose });

/** Rows that never reached the old store. Eval runs come from their own files, and transcripts need consent. */
function queueOf(value: unknown, repo: string | null): OldContent {
  if (!Array.isArray(value)) return { ...nothing, unread: ["it is not a list of rows"] };
  let content = nothing;
  for (const [number, given] of value.entries()) {
    const row = Row.safeParse(given).data;
    if (!row) {
      content = { ...content, unread: [...content.unread, `row ${number + 1}: it has no table and data`] };
      continue;
    }
    const { table, data } = row;
    const what = ofTable[table];
    const { repo_slug, repo: place, triage_type, team_id: _team, user_id: _user, ...rest } = data;
    const slug = repo_slug ?? place;
    if (what === undefined) content = { ...content, counted: content.counted + 1 };
    else if (typeof slug === "string" && !belongsTo(repo, slug))
      content = { ...content, elsewhere: content.elsewhere + 1 };
    else {
      const own = one(what, triage_type === undefined ? rest : { ...rest, outcome: triage_type, reviewer: "greptile" });
      const unread = own.unread.map((reason) => `a row of ${table}: ${reason}`);
      content = { ...content, records: [...content.records, ...own.records], unread: [...content.unread, ...unread] };
    }
  }
  return content;
}

const linesIn = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

const entriesIn = ({ sort }: OldFile, text: string): number =>
  sort === "triage" || sort === "timeline" || sort === "learnings" ? linesIn(text).length : 1;

const Collected = z.looseObject({
  tests: z.array(z.looseObject({ name: z.string(), passed: z.boolean() })),
  tier: z.string().optional(),
  timestamp: z.string(),
});
const namespace = "3b6f6a5e-4b77-5a35-9b3f-0d3d2f6c9f61";

export function standardEvalFile(text: string): string {
  const found = Collected.safeParse(parseJson(text));
  if (!found.success) return text;
  const { tests, tier, branch, hostname, total_tests, total_duration_ms, total_cost_usd, ...run } =
    found.data as z.infer<typeof Collected> & {
      branch?: unknown;
      hostname?: unknown;
      total_tests?: unknown;
      total_duration_ms?: unknown;
      total_cost_usd?: unknown;
    };
  return JSON.stringify({
    ...run,
    schema_version: 1,
    suite: typeof tests[0]?.suite === "string" ? tests[0].suite : "gstack",
    // The same file has the same id, so that it is imported once.
    run_id: uuidv5(namespace, hash(found.data)),
    ...(tier === "e2e" || tier === "llm-judge" ? { tier } : {}),
    ...(typeof branch === "string" ? { git_branch: branch } : {}),
    ...(typeof hostname === "string" ? { host: hostname } : {}),
    ...(typeof total_duration_ms === "number" ? { duration_seconds: total_duration_ms / 1000 } : {}),
    source: "gstack",
    all_results: tests.map(({ name, passed, duration_ms, cost_usd, error, ...test }) => ({
      ...{ name, passed },
      ...(typeof duration_ms === "number" ? { duration_ms } : {}),
      ...(typeof error === "string" ? { error } : {}),
      ...(typeof test.suite === "string" ? { category: test.suite } : {}),
      ...(typeof test.judge_scores === "object" ? { judge_scores: test.judge_scores } : {}),
      ...(typeof cost_usd === "number" ? { usage: [{ model: "unknown", calls: 1, cost_usd }] } : {}),
    })),
  });
}
