/**
 * The folder of run files and its index, kept in agreement.
 *
 * - `repair()` adds to the index what it lacks, for example after a process was killed, and drops what is gone.
 * - `addToIndex(file)`, `remove(file)` one run; `oldRuns(rule)` the files that pruning deletes.
 * - `orSetAside(file, work)`, `setAside(file, error)` a file that cannot be read is set aside: it stays where it is, the index
 *   knows why, and the other runs stay usable. It is tried again once it has changed.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "@devflow/core/atomic-file";
import type { EvalIndex } from "./eval-index.ts";
import type { PruneRule } from "./eval-store.ts";
import { openRunFile, unreadableReason } from "./run-file.ts";
import type { RunRecord } from "./run-record.ts";

export const fileEnd = ".eval.zst";

export interface RunFolderOptions {
  readonly now: () => number;
  readonly rest: () => void;
}

export class RunFolder {
  readonly path: string;
  readonly index: EvalIndex;
  readonly #now: () => number;
  readonly #rest: () => void;

  constructor(path: string, index: EvalIndex, { now, rest }: RunFolderOptions) {
    this.path = path;
    this.index = index;
    this.#now = now;
    this.#rest = rest;
  }

  /** Older than the rule says, and not among the newest of their suite and tier. */
  oldRuns({ before, keep }: PruneRule): readonly string[] {
    const rows = this.index.db
      .prepare(
        `select file from (
           select *, row_number() over (partition by suite, tier order by at desc, no desc) as place from runs
         ) where place > ? and at < ? order by at`,
      )
      .all(keep, before) as { file: string }[];
    return rows.map(({ file }) => file);
  }

  /** File first: a row without a file is dropped at the next opening, but a file without a row would reappear. */
  async remove(file: string): Promise<void> {
    await rm(join(this.path, file), { force: true });
    await syncFolder(this.path);
    this.index.remove(file);
  }

  async repair(): Promise<void> {
    // The index first: a file is there before its row, so a row without a file belongs to a run that was removed. The other way
    // round, a run that another process stores in between would be dropped.
    const indexed = this.index.files();
    const names = await readdir(this.path);
    const stored = new Set(names.filter((name) => name.endsWith(fileEnd)));
    for (const file of indexed) if (!stored.has(file)) this.index.remove(file);
    const aside = await this.#stillAside(stored);
    const missing = [...stored].filter((file) => !indexed.has(file) && !aside.has(file));
    const records: { readonly name: string; readonly pushedAt: string }[] = [];
    for (const name of missing) {
      // Another process may remove a run in between.
      const record = await this.orSetAside(name, () => this.#recordOf(name)).catch(unlessMissing);
      if (record) records.push({ name, pushedAt: record.pushedAt });
    }
    // Attempts are numbered in the order in which the runs were pushed.
    records.sort((a, b) => (a.pushedAt < b.pushedAt ? -1 : 1));
    for (const { name } of records) await this.orSetAside(name, () => this.addToIndex(name)).catch(unlessMissing);
    await this.#sweep(names);
  }

  async #recordOf(name: string): Promise<RunRecord> {
    const file = await openRunFile(join(this.path, name));
    await file.close();
    return file.record;
  }

  /** The files that were set aside and have not changed since. */
  async #stillAside(stored: ReadonlySet<string>): Promise<Set<string>> {
    const aside = new Set<string>();
    for (const { file, size, ctimeMs } of this.index.allSetAside()) {
      const found = stored.has(file) ? await stat(join(this.path, file)).catch(() => undefined) : undefined;
      if (found?.size === size && found.ctimeMs === ctimeMs) aside.add(file);
      else this.index.takeBack(file);
    }
    return aside;
  }

  /** Undefined if the file cannot be read; it is then set aside. */
  async orSetAside<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(await this.setAside(name, error))) throw error;
      return undefined;
    }
  }

  async setAside(name: string, error: unknown): Promise<boolean> {
    const reason = unreadableReason(error) ?? refusedRow(error);
    const facts = await stat(join(this.path, name)).catch(() => undefined);
    if (reason === null || !facts) return false;
    this.index.setAside(name, reason, facts);
    return true;
  }

  /** Temporary files older than an hour belong to killed processes. */
  async #sweep(names: readonly string[]): Promise<void> {
    for (const name of names.filter((one) => one.endsWith(".tmp"))) {
      const path = join(this.path, name);
      const found = await stat(path).catch(() => undefined);
      if (found && this.#now() - found.mtimeMs > 3_600_000) await rm(path, { force: true });
    }
  }

  async addToIndex(name: string): Promise<void> {
    const file = await openRunFile(join(this.path, name));
    try {
      this.index.add(name, file.record, await file.storedRows(this.#rest));
    } finally {
      await file.close();
    }
  }
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
