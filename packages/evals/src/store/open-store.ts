/**
 * The eval runs on this machine: `~/.devflow/evals/runs/*.eval.zst`, one file per run, and an index.
 *
 * - `openStore(home)` opens it and repairs the index from the files, for example after a process was killed.
 * - `push(imported)` stores a run once; `list`, `run`, `results`, `result`, `history`, `resultsFor` read; `feed` sends a run to
 *   a sink; `remove` and `prune` delete.
 *
 * Several processes may use it at once. A run's file is created first, by a link that only one process can make; then the
 * index is updated. Nothing is acknowledged before the file is on disk.
 *
 * A file that cannot be read is set aside: it stays where it is, `setAside()` tells why, and the other runs stay usable.
 */
import { link, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder, syncFolder } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { hashBytes } from "@devflow/core/hash";
import { uuidv7 } from "@devflow/core/ids";
import type { CommitNote, EvalResult, ImportedRun } from "../results/result.ts";
import { type EvalIndex, isDamage, openIndex, removeIndex } from "./eval-index.ts";
import {
  caseHistory,
  findRuns,
  type HistoryPoint,
  type HistoryQuery,
  type IndexedRun,
  listRuns,
  modelCosts,
  pageOfResults,
  type ResultQuery,
  type RunFilter,
  type RunModelCost,
  type RunPage,
  toLine,
} from "./index-queries.ts";
import type { PackedRows } from "./packed-rows.ts";
import { type PageRow, pageRow } from "./page-row.ts";
import { ResultsDigest } from "./results-digest.ts";
import { openRunFile, type RunFile, unreadableReason } from "./run-file.ts";
import type { RunLine, RunRecord } from "./run-record.ts";
import { feedSink, type ResultSink } from "./sink.ts";
import { writeRun } from "./write-run.ts";

export interface PushOutcome {
  /** False: this run was already stored. */
  readonly isNew: boolean;
  readonly line: RunLine;
  readonly record: RunRecord;
}

export interface PushOptions {
  /** Replace a stored run that has the same id and different content. */
  readonly replace?: boolean;
  /** The run's commit and those before it. */
  readonly commits?: readonly CommitNote[];
  /** The file's name, for messages. */
  readonly name?: string;
  /** Nothing is stored after it. */
  readonly signal?: AbortSignal;
}

export interface ResultPage {
  readonly rows: readonly PageRow[];
  readonly matching: number;
  readonly page: number;
  readonly pageSize: number;
}

export interface StoredRun {
  readonly line: RunLine;
  readonly record: RunRecord;
}

export interface RunRows extends StoredRun {
  readonly rows: PackedRows;
  /** The complete results at these places. */
  readonly read: (ordinals: readonly number[]) => readonly EvalResult[];
}

export interface EvalStore {
  push(imported: ImportedRun, options?: PushOptions): Promise<PushOutcome>;
  list(filter?: RunFilter): RunPage;
  /** A run id, its first characters, or `suite/id`. */
  run(id: string): Promise<StoredRun>;
  results(id: string, query?: ResultQuery): Promise<ResultPage>;
  result(id: string, ordinal: number): Promise<EvalResult>;
  /** Complete results, block by block, for export and rejudging. */
  allResults(id: string): AsyncIterable<readonly EvalResult[]>;
  superseded(id: string): AsyncIterable<readonly EvalResult[]>;
  history(query: HistoryQuery): readonly HistoryPoint[];
  /** Rows without texts, for compare. Runs that turn out to be unreadable are set aside and left out. */
  resultsFor(ids: readonly string[]): Promise<RunRows[]>;
  feed(id: string, sink: ResultSink): Promise<{ readonly chunks: number }>;
  remove(id: string): Promise<RunLine>;
  prune(rule: PruneRule): Promise<readonly RunLine[]>;
  /** The cost of every matching run by model. */
  modelCosts(filter?: RunFilter): readonly RunModelCost[];
  /** The commits that the stored runs know of. */
  commits(): readonly CommitNote[];
  /** The files that cannot be read, and why. */
  setAside(): readonly SetAsideRun[];
  close(): void;
}

export interface SetAsideRun {
  /** Its name in `~/.devflow/evals/runs`. */
  readonly file: string;
  readonly reason: string;
}

export interface PruneRule {
  /** ISO: runs before it are deleted. */
  readonly before: string;
  /** This many of the newest runs per suite and tier are kept regardless of age. */
  readonly keep: number;
  readonly dryRun?: boolean;
}

export interface StoreOptions {
  readonly now?: () => number;
  /** A team's own prices; default: `<home>/prices.json`. */
  readonly pricesFile?: string;
  /** Collects garbage; called while very large runs are read. Left alone, the heap grows to several times what is in use. */
  readonly rest?: () => void;
}

/** `home` is `~/.devflow`. */
export async function openStore(home: string, options: StoreOptions = {}): Promise<EvalStore> {
  const store = new FileStore(home, options);
  await store.open();
  return store;
}

const fileEnd = ".eval.zst";
const mostSearched = 5000;

class FileStore implements EvalStore {
  readonly #folder: string;
  readonly #runs: string;
  readonly #indexPath: string;
  readonly #pricesFile: string;
  readonly #now: () => number;
  readonly #rest: () => void;
  #index!: EvalIndex;

  constructor(home: string, { now = Date.now, pricesFile = join(home, "prices.json"), rest = () => {} }: StoreOptions) {
    this.#rest = rest;
    this.#folder = join(home, "evals");
    this.#runs = join(this.#folder, "runs");
    this.#indexPath = join(this.#folder, "index.sqlite");
    this.#now = now;
    this.#pricesFile = pricesFile;
  }

  async open(): Promise<void> {
    await ensurePrivateFolder(this.#folder);
    await ensurePrivateFolder(this.#runs);
    this.#index = openIndex(this.#indexPath);
    try {
      await this.#repair();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#index.close();
      removeIndex(this.#indexPath);
      this.#index = openIndex(this.#indexPath);
      await this.#repair();
    }
  }

  async push(imported: ImportedRun, options: PushOptions = {}): Promise<PushOutcome> {
    const { suite, runId } = imported.run;
    const { replace = false, commits = [], signal } = options;
    const file = `${hashBytes(`${suite}\n${runId}`).slice(0, 32)}${fileEnd}`;
    const path = join(this.#runs, file);
    if (!replace && (await exists(path))) {
      const stored = await this.#orSetAside(file, () => this.#alreadyThere(file, imported));
      // An unreadable file under this name has nothing to lose.
      return stored ?? this.push(imported, { ...options, replace: true });
    }
    const temporary = join(this.#runs, `.${uuidv7()}.tmp`);
    const handle = await open(temporary, "wx", 0o600);
    let record: RunRecord;
    try {
      record = await writeRun(handle, imported, {
        pushedAt: new Date(this.#now()).toISOString(),
        pricesFile: this.#pricesFile,
        rest: this.#rest,
        commits,
        name: options.name,
      });
      faultPoint("evalRunWritten");
      signal?.throwIfAborted();
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
    if (replace) await rename(temporary, path);
    else {
      const isFirst = await linkOnce(temporary, path);
      await rm(temporary, { force: true });
      if (!isFirst) return this.#alreadyThere(file, imported);
    }
    await syncFolder(this.#runs);
    faultPoint("evalRunStored");
    this.#index.takeBack(file);
    await this.#addToIndex(file);
    return { isNew: true, line: this.#lineOfFile(file), record };
  }

  list(filter: RunFilter = {}): RunPage {
    return listRuns(this.#index, filter);
  }

  async run(id: string): Promise<StoredRun> {
    const found = this.#find(id);
    return this.#reading(found, async (file) => ({ line: toLine(found), record: file.record }));
  }

  async results(id: string, query: ResultQuery = {}): Promise<ResultPage> {
    const found = this.#find(id);
    const searched = await this.#search(found, query.filter ?? {});
    const { rows, matching, pageSize } = pageOfResults(
      this.#index,
      found.no,
      searched ? { ...query, ordinals: searched } : query,
    );
    const results = await this.#reading(found, (file) => file.results(rows.map(({ ordinal }) => ordinal)));
    return {
      rows: rows.flatMap((row, at) => {
        const result = results[at];
        return result ? [pageRow(result, row)] : [];
      }),
      matching,
      page: query.page ?? 0,
      pageSize,
    };
  }

  /** Texts and single scores are not in the index; the first so many matches are enough for a page. */
  async #search(
    run: IndexedRun,
    { text, below, metadata }: NonNullable<ResultQuery["filter"]>,
  ): Promise<number[] | undefined> {
    if (!text && !below && !metadata) return undefined;
    const found: number[] = [];
    const wanted = text?.toLowerCase();
    await this.#reading(run, async (file) => {
      let ordinal = 0;
      for await (const block of file.all()) {
        for (const result of block) {
          const { output, error, failures, scores } = result;
          const score = below && Object.hasOwn(scores, below.criterion) ? scores[below.criterion] : undefined;
          const isLow = !below || (score !== undefined && score < below.limit);
          const hasText = !wanted || JSON.stringify([output, error, failures]).toLowerCase().includes(wanted);
          const isMeant = !metadata || hasMetadata(result, metadata);
          if (isLow && hasText && isMeant && found.length < mostSearched) found.push(ordinal);
          ordinal += 1;
        }
      }
    });
    return found;
  }

  async result(id: string, ordinal: number): Promise<EvalResult> {
    const found = this.#find(id);
    const [result] = await this.#reading(found, (file) => file.results([ordinal]));
    if (result) return result;
    throw new DevflowError("not_found", {
      details: { what: `Result ${ordinal} of run ${id}`, next: `devflow eval show ${id}` },
    });
  }

  async *allResults(id: string): AsyncIterable<readonly EvalResult[]> {
    const file = await openRunFile(join(this.#runs, this.#find(id).file));
    try {
      yield* file.all();
    } finally {
      await file.close();
    }
  }

  async *superseded(id: string): AsyncIterable<readonly EvalResult[]> {
    const file = await openRunFile(join(this.#runs, this.#find(id).file));
    try {
      yield* file.superseded();
    } finally {
      await file.close();
    }
  }

  history(query: HistoryQuery): readonly HistoryPoint[] {
    return caseHistory(this.#index, query);
  }

  async resultsFor(ids: readonly string[]) {
    const answers: RunRows[] = [];
    for (const id of ids) {
      const found = this.#find(id);
      try {
        await this.#reading(found, async (file) => {
          const rows = await file.storedRows(this.#rest);
          answers.push({ line: toLine(found), record: file.record, rows, read: file.reader(this.#rest) });
        });
      } catch (error) {
        if (unreadableReason(error) === null) throw error;
      }
    }
    return answers;
  }

  async feed(id: string, sink: ResultSink): Promise<{ readonly chunks: number }> {
    return this.#reading(this.#find(id), (file) => feedSink(sink, file));
  }

  async remove(id: string): Promise<RunLine> {
    const found = this.#find(id);
    await this.#removeFile(found.file);
    return toLine(found);
  }

  async prune({ before, keep, dryRun = false }: PruneRule): Promise<readonly RunLine[]> {
    const old = this.#index.db
      .prepare(
        `select run_id as runId, suite, file from (
           select *, row_number() over (partition by suite, tier order by at desc, no desc) as place from runs
         ) where place > ? and at < ? order by at`,
      )
      .all(keep, before) as { runId: string; suite: string; file: string }[];
    const lines = old.map(({ file }) => this.#lineOfFile(file));
    if (!dryRun) for (const { file } of old) await this.#removeFile(file);
    return lines;
  }

  modelCosts(filter: RunFilter = {}): readonly RunModelCost[] {
    return modelCosts(this.#index, filter);
  }

  commits(): readonly CommitNote[] {
    return this.#index.commits();
  }

  setAside(): readonly SetAsideRun[] {
    return this.#index.allSetAside().map(({ file, reason }) => ({ file, reason }));
  }

  close(): void {
    this.#index.close();
  }

  /** File first: a row without a file is dropped at the next opening, but a file without a row would reappear. */
  async #removeFile(file: string): Promise<void> {
    await rm(join(this.#runs, file), { force: true });
    await syncFolder(this.#runs);
    this.#index.remove(file);
  }

  async #repair(): Promise<void> {
    // The index first: a file is there before its row, so a row without a file belongs to a run that was removed. The other way
    // round, a run that another process stores in between would be dropped.
    const indexed = this.#index.files();
    const names = await readdir(this.#runs);
    const stored = new Set(names.filter((name) => name.endsWith(fileEnd)));
    for (const file of indexed) if (!stored.has(file)) this.#index.remove(file);
    const aside = await this.#stillAside(stored);
    const missing = [...stored].filter((file) => !indexed.has(file) && !aside.has(file));
    const records: { readonly name: string; readonly pushedAt: string }[] = [];
    for (const name of missing) {
      // Another process may remove a run in between.
      const record = await this.#orSetAside(name, () => this.#recordOf(name)).catch(unlessMissing);
      if (record) records.push({ name, pushedAt: record.pushedAt });
    }
    // Attempts are numbered in the order in which the runs were pushed.
    records.sort((a, b) => (a.pushedAt < b.pushedAt ? -1 : 1));
    for (const { name } of records) await this.#orSetAside(name, () => this.#addToIndex(name)).catch(unlessMissing);
    await this.#sweep(names);
  }

  async #recordOf(name: string): Promise<RunRecord> {
    const file = await openRunFile(join(this.#runs, name));
    await file.close();
    return file.record;
  }

  /** The files that were set aside and have not changed since. */
  async #stillAside(stored: ReadonlySet<string>): Promise<Set<string>> {
    const aside = new Set<string>();
    for (const { file, size, ctimeMs } of this.#index.allSetAside()) {
      const found = stored.has(file) ? await stat(join(this.#runs, file)).catch(() => undefined) : undefined;
      if (found?.size === size && found.ctimeMs === ctimeMs) aside.add(file);
      else this.#index.takeBack(file);
    }
    return aside;
  }

  /** Undefined if the file cannot be read; it is then set aside. */
  async #orSetAside<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(await this.#setAside(name, error))) throw error;
      return undefined;
    }
  }

  async #setAside(name: string, error: unknown): Promise<boolean> {
    const reason = unreadableReason(error) ?? refusedRow(error);
    const facts = await stat(join(this.#runs, name)).catch(() => undefined);
    if (reason === null || !facts) return false;
    this.#index.setAside(name, reason, facts);
    return true;
  }

  /** Temporary files older than an hour belong to killed processes. */
  async #sweep(names: readonly string[]): Promise<void> {
    for (const name of names.filter((one) => one.endsWith(".tmp"))) {
      const path = join(this.#runs, name);
      const found = await stat(path).catch(() => undefined);
      if (found && this.#now() - found.mtimeMs > 3_600_000) await rm(path, { force: true });
    }
  }

  async #addToIndex(name: string): Promise<void> {
    const file = await openRunFile(join(this.#runs, name));
    try {
      this.#index.add(name, file.record, await file.storedRows(this.#rest));
    } finally {
      await file.close();
    }
  }

  async #alreadyThere(name: string, imported: ImportedRun): Promise<PushOutcome> {
    if (!this.#index.files().has(name)) await this.#addToIndex(name);
    const file = await openRunFile(join(this.#runs, name));
    await file.close();
    const { record } = file;
    const given = imported.contentSha ?? null;
    const isOther = given !== null && record.contentSha !== null && given !== record.contentSha;
    if (isOther && !(await this.#hasSameResults(name, imported))) {
      const { runId, suite } = imported.run;
      throw new DevflowError("conflict", {
        details: {
          problem: `Run ${runId} of ${suite} is already stored with different content.`,
          next: "Give the new run another run_id, or replace the stored one: devflow eval push --replace <file>",
        },
      });
    }
    return { isNew: false, line: this.#lineOfFile(name), record };
  }

  /** A log that was converted to another format has other bytes and the same results. */
  async #hasSameResults(name: string, imported: ImportedRun): Promise<boolean> {
    const [stored, given] = [new ResultsDigest(), new ResultsDigest()];
    const file = await openRunFile(join(this.#runs, name));
    try {
      for (const row of await file.storedRows(this.#rest)) stored.add(row);
    } finally {
      await file.close();
    }
    for await (const result of imported.results) given.add(result);
    return stored.value === given.value;
  }

  #lineOfFile(name: string): RunLine {
    const row = this.#index.db.prepare("select run_id as runId, suite from runs where file = ?").get(name) as
      | { runId: string; suite: string }
      | undefined;
    return toLine(this.#find(row ? `${row.suite}/${row.runId}` : name));
  }

  #find(id: string): IndexedRun {
    const found = findRuns(this.#index, id);
    const [only] = found;
    if (found.length === 1 && only) return only;
    if (only) {
      const some = found.map(({ suite, runId }) => `${suite}/${runId}`).join(", ");
      throw new DevflowError("conflict", {
        details: {
          problem: `"${id}" matches several runs: ${some}.`,
          next: `devflow eval show ${only.suite}/${only.runId}`,
        },
      });
    }
    throw new DevflowError("not_found", { details: { what: `The eval run "${id}"`, next: "devflow eval list" } });
  }

  async #reading<T>(run: IndexedRun, work: (file: RunFile) => Promise<T>): Promise<T> {
    try {
      const file = await openRunFile(join(this.#runs, run.file));
      try {
        return await work(file);
      } finally {
        await file.close();
      }
    } catch (error) {
      await this.#setAside(run.file, error);
      throw error;
    }
  }
}

function hasMetadata(
  { tags, extra }: EvalResult,
  { key, value }: { readonly key: string; readonly value: string },
): boolean {
  if (key === "tag") return tags.includes(value);
  return [extra, extra.metadata].some((members) => {
    const isObject = typeof members === "object" && members !== null;
    return isObject && Object.hasOwn(members, key) && String((members as Record<string, unknown>)[key]) === value;
  });
}

function unlessMissing(error: unknown): undefined {
  if ((error as { code?: string }).code === "ENOENT") return undefined;
  throw error;
}

/** A row that SQLite cannot take, for example without a name. */
function refusedRow(error: unknown): string | null {
  const message = String((error as Error | undefined)?.message);
  return /constraint failed|cannot be bound|not bindable|datatype/i.test(message)
    ? `its rows cannot be listed (${message})`
    : null;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** True for exactly one of several processes that store the same run at the same time. */
async function linkOnce(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === "EEXIST") return false;
    throw error;
  }
}
