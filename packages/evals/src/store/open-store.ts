/**
 * The eval runs on this machine: `~/.devflow/evals/runs/*.eval.zst`, one file per run, and an index.
 *
 * - `openStore(home)` opens it and repairs the index from the files, for example after a process was killed. `EvalStore` is what
 *   it can do.
 *
 * Several processes may use it at once. A run's file is created first, by a link that only one process can make; then the
 * index is updated. Nothing is acknowledged before the file is on disk.
 */
import { link, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder, syncFolder } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { hashBytes } from "@devflow/core/hash";
import { uuidv7 } from "@devflow/core/ids";
import type { CommitNote, EvalResult, ImportedRun } from "../results/result.ts";
import { type EvalIndex, isDamage, openIndex, removeIndex } from "./eval-index.ts";
import type {
  EvalStore,
  PruneRule,
  PushOptions,
  PushOutcome,
  ResultPage,
  RunRows,
  SetAsideRun,
  StoredRun,
} from "./eval-store.ts";
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
import { pageRow } from "./page-row.ts";
import { ResultsDigest } from "./results-digest.ts";
import { openRunFile, type RunFile, unreadableReason } from "./run-file.ts";
import { fileEnd, RunFolder } from "./run-folder.ts";
import type { RunLine, RunRecord } from "./run-record.ts";
import { searchOf } from "./search-results.ts";
import { feedSink, type ResultSink } from "./sink.ts";
import { writeRun } from "./write-run.ts";

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

const mostSearched = 5000;

class FileStore implements EvalStore {
  readonly #evals: string;
  readonly #runs: string;
  readonly #indexPath: string;
  readonly #pricesFile: string;
  readonly #now: () => number;
  readonly #rest: () => void;
  #folder!: RunFolder;

  constructor(home: string, { now = Date.now, pricesFile = join(home, "prices.json"), rest = () => {} }: StoreOptions) {
    this.#rest = rest;
    this.#evals = join(home, "evals");
    this.#runs = join(this.#evals, "runs");
    this.#indexPath = join(this.#evals, "index.sqlite");
    this.#now = now;
    this.#pricesFile = pricesFile;
  }

  async open(): Promise<void> {
    await ensurePrivateFolder(this.#evals);
    await ensurePrivateFolder(this.#runs);
    const openFolder = () =>
      new RunFolder(this.#runs, openIndex(this.#indexPath), { now: this.#now, rest: this.#rest });
    this.#folder = openFolder();
    try {
      await this.#folder.repair();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#index.close();
      removeIndex(this.#indexPath);
      this.#folder = openFolder();
      await this.#folder.repair();
    }
  }

  get #index(): EvalIndex {
    return this.#folder.index;
  }

  async push(imported: ImportedRun, options: PushOptions = {}): Promise<PushOutcome> {
    const { suite, runId } = imported.run;
    const { replace = false, commits = [], signal } = options;
    const file = `${hashBytes(`${suite}\n${runId}`).slice(0, 32)}${fileEnd}`;
    const path = join(this.#runs, file);
    if (!replace && (await exists(path))) {
      const stored = await this.#folder.orSetAside(file, () => this.#alreadyThere(file, imported));
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
    await this.#folder.addToIndex(file);
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
  async #search(run: IndexedRun, filter: NonNullable<ResultQuery["filter"]>): Promise<number[] | undefined> {
    const matches = searchOf(filter);
    if (!matches) return undefined;
    const found: number[] = [];
    await this.#reading(run, async (file) => {
      let ordinal = 0;
      for await (const block of file.all()) {
        for (const result of block) {
          if (found.length < mostSearched && matches(result)) found.push(ordinal);
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
    await this.#folder.remove(found.file);
    return toLine(found);
  }

  async prune(rule: PruneRule): Promise<readonly RunLine[]> {
    const old = this.#folder.oldRuns(rule);
    const lines = old.map((file) => this.#lineOfFile(file));
    if (!rule.dryRun) for (const file of old) await this.#folder.remove(file);
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

  async #alreadyThere(name: string, imported: ImportedRun): Promise<PushOutcome> {
    if (!this.#index.files().has(name)) await this.#folder.addToIndex(name);
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
      await this.#folder.setAside(run.file, error);
      throw error;
    }
  }
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
