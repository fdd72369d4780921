/**
 * The index of the stored runs, in SQLite: lists, pages and history without opening run files. It contains nothing that is not in
 * the files, so it can be deleted at any time.
 *
 * - `openIndex(path)` the index; a file that is not an index, is damaged, or has another version is removed first.
 * - `add(file, record, rows)`, `remove(file)`, `files()`; the queries are in `index-queries.ts`.
 * - `setAside(file, reason)` remembers a file that cannot be read, so that it is not read again until it changes.
 */
import { chmodSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { caseKey } from "../results/identity.ts";
import { type CommitNote, type JudgeIdentity, resultStatuses } from "../results/result.ts";
import { meanScore, type ResultRow, usdOf } from "./result-row.ts";
import type { RunRecord } from "./run-record.ts";

const indexVersion = 2;

const schema = `
create table runs (
  no integer primary key, file text not null unique, run_id text not null, suite text not null, label text not null,
  tier text not null, at text not null, pushed_at text not null, git_sha text, git_branch text, prompt_sha text,
  model text, provider text, variant text, matrix text, host text, judge_key text not null, attempt integer not null, total integer not null,
  passed integer not null, failed integer not null, errors integer not null, skipped integer not null,
  duration_ms real, actual_usd real not null, estimated_usd real not null, unpriced_calls integer not null,
  source text not null, content_sha text, partial integer not null
) strict;
create index runs_by_time on runs (at desc, no desc);
create index runs_by_suite on runs (suite, at desc);
create index runs_by_id on runs (run_id);
create index runs_by_commit on runs (git_sha, suite);
-- Each suite has its own cases: equal names of two suites are two cases.
create table cases (
  no integer primary key, suite text not null, key text not null, name text not null, input_sha text,
  unique (suite, key)
) strict;
create index cases_by_name on cases (suite, name);
create table results (
  run integer not null, ordinal integer not null, case_no integer not null, repeat integer not null,
  status integer not null, category text, duration_ms real, usd real, score real,
  primary key (run, ordinal)
) strict, without rowid;
create index results_by_case on results (case_no, run);
-- The cost of each run by model, so that sums over all runs need no files.
create table run_models (
  run integer not null, model text not null, calls integer not null, input_tokens integer not null,
  output_tokens integer not null, cache_read_tokens integer not null, cache_write_tokens integer not null,
  actual_usd real not null, estimated_usd real not null, unpriced_calls integer not null, unpriced_reason text,
  primary key (run, model)
) strict, without rowid;
-- What runs recorded about their commits and the ones before; parents are separated by spaces.
create table commits (sha text primary key, parents text not null, author text, at text, subject text) strict, without rowid;
-- Run files that cannot be read. Size and time tell whether the file was changed since.
create table set_aside (file text primary key, reason text not null, size integer not null, changed_ms real not null) strict;
`;

interface FileFacts {
  readonly size: number;
  readonly ctimeMs: number;
}

export interface SetAsideFile extends FileFacts {
  readonly file: string;
  readonly reason: string;
}

export class EvalIndex {
  readonly db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.db = db;
  }

  /** One transaction; a file that another process has added in the meantime is skipped, unless its run was replaced. */
  add(file: string, record: RunRecord, rows: Iterable<ResultRow>): void {
    this.#transaction(() => {
      const known = this.db.prepare("select pushed_at as at from runs where file = ?").get(file) as
        | { at: string }
        | undefined;
      if (known?.at === record.pushedAt) return;
      // Two processes may index one file; a run keeps its attempt number.
      const before = this.#remove(file);
      const no = this.#addRun(file, record, before);
      const spent = this.db.prepare("insert into run_models values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
      for (const model of record.summary.cost.models) {
        spent.run(
          ...[no, model.model, model.calls, model.inputTokens, model.outputTokens],
          ...[model.cacheReadTokens, model.cacheWriteTokens, model.actualUsd, model.estimatedUsd],
          ...[model.unpricedCalls, model.unpricedReason],
        );
      }
      const note = this.db.prepare("insert or ignore into commits values (?, ?, ?, ?, ?)");
      for (const { sha, parents, author, at, subject } of record.commits ?? []) {
        note.run(sha, parents.join(" "), author, at, subject);
      }
      const cases = this.#caseNumbers(record.run.suite);
      const insert = this.db.prepare("insert into results values (?, ?, ?, ?, ?, ?, ?, ?, ?)");
      for (const row of rows) {
        const status = resultStatuses.indexOf(row.status);
        insert.run(
          ...[no, row.ordinal, cases(row), row.repeat, status, row.category],
          ...[row.durationMs, usdOf(row.cost), meanScore(row.scores)],
        );
      }
    });
  }

  remove(file: string): void {
    this.#transaction(() => {
      this.#remove(file);
    });
  }

  setAside(file: string, reason: string, { size, ctimeMs }: FileFacts): void {
    this.#transaction(() => {
      this.#remove(file);
      this.db.prepare("insert or replace into set_aside values (?, ?, ?, ?)").run(file, reason, size, ctimeMs);
    });
  }

  takeBack(file: string): void {
    this.db.prepare("delete from set_aside where file = ?").run(file);
  }

  allSetAside(): SetAsideFile[] {
    return this.db
      .prepare("select file, reason, size, changed_ms as ctimeMs from set_aside order by file")
      .all() as unknown as SetAsideFile[];
  }

  commits(): CommitNote[] {
    const rows = this.db.prepare("select sha, parents, author, at, subject from commits").all() as unknown as (Omit<
      CommitNote,
      "parents"
    > & { readonly parents: string })[];
    return rows.map((row) => ({ ...row, parents: row.parents.split(" ").filter(Boolean) }));
  }

  files(): Set<string> {
    return new Set((this.db.prepare("select file from runs").all() as { file: string }[]).map(({ file }) => file));
  }

  close(): void {
    this.db.close();
  }

  #addRun(
    file: string,
    { run, summary, pushedAt, contentSha, partial }: RunRecord,
    before: number | undefined,
  ): number {
    const { attempt: next } = this.db
      .prepare(
        `select coalesce(max(attempt), 0) + 1 as attempt from runs
         where suite = ? and label = ? and tier = ? and git_sha is ? and model is ? and provider is ? and variant is ?`,
      )
      .get(
        ...[run.suite, run.label, run.tier, run.gitSha],
        ...[run.model, run.provider ?? null, run.variant ?? null],
      ) as { attempt: number };
    const attempt = before ?? next;
    const { totals, cost } = summary;
    const added = this.db
      .prepare(
        `insert into runs (file, run_id, suite, label, tier, at, pushed_at, git_sha, git_branch, prompt_sha, model,
           provider, variant, matrix, host, judge_key, attempt, total, passed, failed, errors, skipped, duration_ms, actual_usd, estimated_usd,
           unpriced_calls, source, content_sha, partial)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        ...[file, run.runId, run.suite, run.label, run.tier, run.at, pushedAt, run.gitSha, run.gitBranch],
        ...[
          run.promptSha,
          run.model,
          run.provider ?? null,
          run.variant ?? null,
          run.matrix ?? null,
          run.host,
          judgeKey(run.judges),
          attempt,
        ],
        ...[totals.total, totals.passed, totals.failed, totals.errors, totals.skipped, run.durationMs],
        ...[
          cost.actualUsd,
          cost.estimatedUsd,
          cost.unpricedCalls,
          run.source,
          contentSha,
          partial === undefined ? 0 : 1,
        ],
      );
    return Number(added.lastInsertRowid);
  }

  #caseNumbers(suite: string): (row: ResultRow) => number {
    const known = new Map<string, number>();
    const insert = this.db.prepare("insert or ignore into cases (suite, key, name, input_sha) values (?, ?, ?, ?)");
    const find = this.db.prepare("select no from cases where suite = ? and key = ?");
    return ({ name, inputSha }) => {
      const key = caseKey(name, inputSha);
      const seen = known.get(key);
      if (seen !== undefined) return seen;
      insert.run(suite, key, name, inputSha);
      const { no } = find.get(suite, key) as { no: number };
      known.set(key, no);
      return no;
    };
  }

  /** Returns its attempt number, if it was indexed. */
  #remove(file: string): number | undefined {
    const query = "select no, attempt from runs where file = ?";
    const found = this.db.prepare(query).get(file) as { no: number; attempt: number } | undefined;
    if (!found) return undefined;
    this.db.prepare("delete from results where run = ?").run(found.no);
    this.db.prepare("delete from run_models where run = ?").run(found.no);
    this.db.prepare("delete from runs where no = ?").run(found.no);
    return found.attempt;
  }

  #transaction(work: () => void): void {
    this.db.exec("begin immediate");
    try {
      work();
      this.db.exec("commit");
    } catch (error) {
      this.db.exec("rollback");
      throw error;
    }
  }
}

export function openIndex(path: string): EvalIndex {
  try {
    return new EvalIndex(connect(path));
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeIndex(path);
    return new EvalIndex(connect(path));
  }
}

/** Processes that have it open continue with the removed file; the runs they add are found again from their files. */
export function removeIndex(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
}

class OtherVersion extends Error {}

export function isDamage(error: unknown): boolean {
  if (error instanceof OtherVersion) return true;
  const message = String((error as Error | undefined)?.message);
  return /not a database|malformed|no such (?:table|column)|disk image|corrupt|I\/O error/i.test(message);
}

const patienceMs = 15_000;

/** SQLite does not wait for other processes here: when several create the index at once, all but one are refused. */
function useWriteAheadLog(db: DatabaseSync): void {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      db.exec("pragma journal_mode = wal");
      return;
    } catch (error) {
      if (!/database is locked/.test(String(error)) || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 + Math.random() * 20);
    }
  }
}

function connect(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  try {
    chmodSync(path, 0o600);
    db.exec(`pragma busy_timeout = ${patienceMs}`);
    useWriteAheadLog(db);
    // The run files are synced and authoritative; the index can be rebuilt.
    db.exec("pragma synchronous = normal");
    const versionNow = () => (db.prepare("pragma user_version").get() as { user_version: number }).user_version;
    if (versionNow() !== indexVersion) {
      db.exec("begin immediate");
      const version = versionNow();
      const isEmpty = (db.prepare("select count(*) as n from sqlite_schema").get() as { n: number }).n === 0;
      if (version !== indexVersion) {
        if (version !== 0 || !isEmpty) throw new OtherVersion();
        db.exec(schema);
        db.exec(`pragma user_version = ${indexVersion}`);
      }
      db.exec("commit");
    }
    db.prepare("select count(*) from runs").get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function judgeKey(judges: readonly JudgeIdentity[]): string {
  return judges
    .map(({ model, rubricSha, threshold }) => `${model}/${rubricSha ?? ""}/${threshold ?? ""}`)
    .sort()
    .join(" ");
}
