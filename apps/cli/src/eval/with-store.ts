/**
 * Opens the eval store for the duration of a command.
 *
 * - `withStore(context, work)` opens the store, runs `work`, and always closes the store.
 * - `allLines(store, filter)` every run that matches, newest first.
 */
import type { CommandContext } from "@devflow/core/command";
import { type EvalStore, openStore, type RunFilter, type RunLine } from "@devflow/evals/store";

/** Between the steps of very large comparisons: the heap would grow to several times what is in use. */
export const collectGarbage = (): void => void Bun.gc(true);

export async function withStore<T>(context: CommandContext, work: (store: EvalStore) => Promise<T> | T): Promise<T> {
  const store = await openStore(context.config().home, { rest: collectGarbage });
  const before = store.setAside().length;
  try {
    return await work(store);
  } finally {
    const found = store.setAside().length - before;
    if (found > 0)
      context.output.note(`${found} stored ${found === 1 ? "run" : "runs"} cannot be read: devflow doctor`);
    store.close();
  }
}

export function allLines(store: EvalStore, filter: RunFilter = {}): RunLine[] {
  const lines: RunLine[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const page = store.list({ ...filter, limit: 1000, ...(after ? { after } : {}) });
    lines.push(...page.runs);
    after = page.next;
  }
  return lines;
}

/** Drops the filters that are undefined. */
export function given<T extends object>(filters: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as never;
}
