/**
 * Brings the team cache of a repository up to date.
 *
 * - `pullTeam(options)` what changed since the cursor, or a snapshot where the cursor is of no use. On any failure the old cache stays,
 *   and what arrived whole before it is kept.
 */
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder } from "@devflow/core/atomic-file";
import { tryLock } from "@devflow/core/exclusive-lock";
import { faultPoint } from "@devflow/core/fault-point";
import type { RecordRow } from "@devflow/protocol";
import type { Connection } from "../remote/index.ts";
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
    return { is: "failed", reason: `${outcome.status}${outcome.message ? `: ${outcome.message}` : ""}` };
  } finally {
    lock.release();
  }
}

async function pull(options: PullOptions, folder: string): Promise<PullResult> {
  let cursor = (await readMeta(folder))?.cursor ?? null;
  let rows = 0;
  const erased: string[] = [];
  while (cursor !== null) {
    const page = await ask(options, "pull", { ...selection(options), cursor });
    if (page.resync || page.cursor === null) break;
    faultPoint("pullAfterFetch");
    const known = page.rows.filter(isPulled);
    await applyRows(folder, known, { pulledAt: timeOf(options), cursor: page.cursor });
    rows += known.length;
    erased.push(...known.filter(({ op }) => op === "delete").map(({ id }) => id));
    if (!page.more) return { is: "pulled", rows, isSnapshot: false, erased };
    cursor = page.cursor;
  }
  const snapshot = await takeSnapshot(options);
  await replaceRows(folder, snapshot.rows, { pulledAt: timeOf(options), cursor: snapshot.cursor });
  return { is: "pulled", rows: snapshot.rows.length, isSnapshot: true, erased };
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
