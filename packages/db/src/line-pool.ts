/**
 * A few lines, lent out one at a time.
 *
 * - `createLinePool(open, size)`; `pool.use(work)` lends a free line, opens one, or waits its turn.
 *
 * A dead line is dropped when it comes back; an idle one is closed after a while, so that an idle server holds little.
 */
import { connectionLost, type Line } from "./line.ts";

export interface LinePool {
  use<T>(work: (line: Line) => Promise<T>): Promise<T>;
  /** Refuses newcomers, waits for those at work, closes all. */
  close(): Promise<void>;
}

export function createLinePool(open: () => Line, size: number, idleMs = 60_000): LinePool {
  const idle: { line: Line; since: number }[] = [];
  const waiting: ((line: Line) => void)[] = [];
  const lent = new Set<Line>();
  let isClosed = false;
  let sweeper: ReturnType<typeof setTimeout> | undefined;

  const take = (): Line | undefined => {
    // The one used last is the one whose statements Postgres has prepared and cached.
    for (let last = idle.pop(); last; last = idle.pop()) if (!last.line.isDead) return last.line;
    return lent.size < size ? open() : undefined;
  };
  const giveBack = (line: Line): void => {
    lent.delete(line);
    const next = waiting.shift();
    if (next) {
      const free = line.isDead ? open() : line;
      lent.add(free);
      next(free);
    } else if (!line.isDead) {
      idle.push({ line, since: Date.now() });
      sweepLater();
    }
  };
  const sweepLater = (): void => {
    if (sweeper || isClosed) return;
    sweeper = setTimeout(() => {
      sweeper = undefined;
      // The oldest are in front.
      while (idle[0] && (idle[0].line.isDead || Date.now() - idle[0].since >= idleMs)) void idle.shift()?.line.end();
      if (idle.length > 0) sweepLater();
    }, idleMs);
    sweeper.unref();
  };
  const borrow = (): Line | Promise<Line> => {
    const line = take();
    if (!line) return new Promise((resolve) => waiting.push(resolve));
    lent.add(line);
    return line;
  };

  return {
    async use(work) {
      if (isClosed) throw connectionLost();
      const line = await borrow();
      try {
        return await work(line);
      } finally {
        giveBack(line);
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(sweeper);
      while (lent.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await Promise.all(idle.splice(0).map(({ line }) => line.end()));
    },
  };
}
