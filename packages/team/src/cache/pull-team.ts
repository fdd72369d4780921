/**
 * Brings the team cache of a repository up to date.
 *
 * - `pullTeam(options)` what changed since the cursor, or a snapshot where the cursor is of no use. On any failure the old cache stays,
 *   and what arrived whole before it is kept. Copies of what was erased for everybody leave the spool, too.
 */
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder } from "@devflow/core/atomic-file";
import { tryLock } from "@devflow/core/exclusive-lock";
import { faultPoint } from "@devflow/core/fault-point";
import type { PulledRow, RecordRow } from "@devflow/protocol";
import { eraseRecords } from "../drain/index.ts";
import { type Connection, refusalText } from "../remote/index.ts";
import { spoolFolder } from "../spool/index.ts";
import { ask, Unanswered } from "./ask.ts";
import { pullResults } from "./eval-results.ts";
import { applyRows, type CacheOf, cacheFolder, readMeta, replaceRows, wipeTeam } from "./team-cache.ts";

export interface PullOptions {
  readonly home: string;
  readonly of: CacheOf;
  readonly connection: Connection;
  readonly now: () => number;
  readonly signal?: AbortSignal;
  /** Rows per request; tests use few. */
  readonly pageRows?: number;
}

export type PullResult =
  | {
      readonly is: "pulled";
      readonly rows: number;
      readonly isSnapshot: boolean;
      /** Records that were erased for everybody. */
      readonly erased: readonly string[];
    }
  /** The old cache is still there. */
  | { readonly is: "failed"; readonly reason: string }
  /** The person is no longer in the team; its cache is gone. */
  | { readonly is: "evicted" }
  /** This machine does not let the cache be written; what could be read before can still be read. */
  | { readonly is: "unwritable"; readonly reason: string }
  | { readonly is: "busy" };

/**
 * Transcripts and edits stay on the server, the results of eval runs come by themselves, and of intents and handoffs the digest has those
 * that matter.
 */
export const pulledKinds = [
  ...["eval_run", "retro_snapshot", "review_triage", "qa_report", "ship_log"],
  ...["run_progress", "approval_request", "verdict", "verdict_answer", "decision", "decision_event"],
] as const;

export async function pullTeam(options: PullOptions): Promise<PullResult> {
  try {
    return await pullLocked(options);
  } catch (error) {
    const { code = "" } = error as { code?: string };
    if (diskCodes.has(code)) return { is: "unwritable", reason: code };
    throw error;
  }
}

const diskCodes = new Set(["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"]);

async function pullLocked(options: PullOptions): Promise<PullResult> {
  const folder = cacheFolder(options.home, options.of);
  await ensurePrivateFolder(folder);
  // The lock is a file, too, and says less clearly why it cannot be made.
  await access(folder, constants.W_OK);
  // Two pulls at once would write each other's older rows with the newer cursor.
  const lock = tryLock(join(folder, ".lock"));
  if (!lock) return { is: "busy" };
  try {
    const result = await pull(options, folder);
    await pullResults(options, folder);
    return result;
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    const { outcome } = error;
    if (outcome.is === "unreachable") return { is: "failed", reason: outcome.reason };
    if (outcome.code === "42501" && outcome.details === "not_a_member") {
      lock.release();
      await wipeTeam(options.home, options.of);
      return { is: "evicted" };
    }
    return { is: "failed", reason: refusalText(outcome) };
  } finally {
    lock.release();
  }
}

async function pull(options: PullOptions, folder: string): Promise<PullResult> {
  let cursor = (await readMeta(folder))?.cursor ?? null;
  let rows = 0;
  const erased: string[] = [];
  while (cursor !== null) {
    const batch = await fetchPages(options, cursor);
    const gone = batch.rows.filter(({ op }) => op === "delete").map(({ id }) => id);
    // Before the cursor is written: a delete is told once.
    await eraseRecords(spoolFolder(options.home), gone);
    if (batch.pages > 0) await applyRows(folder, batch.rows, { pulledAt: timeOf(options), cursor: batch.cursor });
    if (batch.end instanceof Unanswered) throw batch.end;
    rows += batch.rows.length;
    erased.push(...gone);
    if (batch.end === "all") return { is: "pulled", rows, isSnapshot: false, erased };
    cursor = batch.end === "resync" ? null : batch.cursor;
  }
  const snapshot = await takeSnapshot(options);
  await replaceRows(folder, snapshot.rows, { pulledAt: timeOf(options), cursor: snapshot.cursor });
  return { is: "pulled", rows: snapshot.rows.length, isSnapshot: true, erased };
}

interface Batch {
  readonly rows: readonly PulledRow[];
  readonly cursor: string;
  readonly pages: number;
  /** Why it ends here; with a failure, what arrived before it is whole. */
  readonly end: "all" | "more" | "resync" | Unanswered;
}

/**
 * Writing a kind means writing its whole file: page by page, 10,000 changes took 2.2 s, of which half was the same rows again and again.
 * So several pages are written at once: as many as fit in memory (a page has at most 4 MB), and as came within a second, so that on a slow
 * network a process that is killed again and again gets on all the same.
 */
const pagesAtOnce = 16;
const unwrittenMs = 1_000;

async function fetchPages(options: PullOptions, from: string): Promise<Batch> {
  const startedMs = options.now();
  const rows: PulledRow[] = [];
  let cursor = from;
  for (let pages = 0; ; ) {
    const page = await ask(options, "pull", { ...selection(options), cursor }).catch(onlyUnanswered);
    if (page instanceof Unanswered) return { rows, cursor, pages, end: page };
    if (page.resync || page.cursor === null) return { rows, cursor, pages, end: "resync" };
    faultPoint("pullAfterFetch");
    for (const row of page.rows) if (isPulled(row)) rows.push(row);
    cursor = page.cursor;
    pages += 1;
    if (!page.more) return { rows, cursor, pages, end: "all" };
    if (pages === pagesAtOnce || options.now() - startedMs >= unwrittenMs) return { rows, cursor, pages, end: "more" };
  }
}

function onlyUnanswered(error: unknown): Unanswered {
  if (error instanceof Unanswered) return error;
  throw error;
}

async function takeSnapshot(options: PullOptions): Promise<{ rows: RecordRow[]; cursor: string }> {
  const rows: RecordRow[] = [];
  let cursor: string | undefined;
  for (let after: string | undefined; ; ) {
    const page = await ask(options, "snapshot", { ...selection(options), ...(after === undefined ? {} : { after }) });
    faultPoint("pullAfterFetch");
    // Of the first page: what changes while the others are read comes again by pull.
    cursor ??= page.cursor;
    rows.push(...page.rows.filter(isPulled));
    if (page.next === null) return { rows, cursor };
    after = page.next;
  }
}

function selection({ of, pageRows }: PullOptions) {
  return {
    team_id: of.team,
    kinds: [...pulledKinds],
    ...(of.repo === null ? {} : { repo: of.repo }),
    ...(pageRows === undefined ? {} : { max_rows: pageRows }),
  };
}

/** Kinds become file names, so only those that were asked for. */
const isPulled = ({ kind }: { readonly kind: string }): boolean => (pulledKinds as readonly string[]).includes(kind);

const timeOf = ({ now }: PullOptions): string => new Date(now()).toISOString();
