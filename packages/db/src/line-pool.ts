/**
 * A few lines, lent out one at a time.
 *
 * - `createLinePool(options)`; `pool.use(work)` lends a free line, opens one, or waits its turn.
 *
 * A dead line is dropped when it comes back. Idle ones are closed, so that an idle server holds little: each is a process
 * of Postgres with 2 to 3 MB of its own, and opening one takes 8 ms. The last one stays for a minute, for whoever
 * comes now and then; the others, which a page opened that asks for many things at once, for a few seconds.
 */
import { connectionLost, type Line } from "./line.ts";

export interface LinePool {
  use<T>(work: (line: Line) => Promise<T>): Promise<T>;
  /** Refuses newcomers, waits for those at work, closes all. */
  close(): Promise<void>;
}

export interface LinePoolOptions {
  readonly open: () => Line;
  readonly size: number;
  /** One that is open already. */
  readonly first?: Line | undefined;
  readonly lastIdleMs?: number;
  readonly spareIdleMs?: number;
}

export function createLinePool(options: LinePoolOptions): LinePool {
  const { open, size, first, lastIdleMs = 60_000, spareIdleMs = 3_000 } = options;
  const idle: { line: Line; since: number }[] = [];
  const waiting: ((line: Line) => void)[] = [];
  const lent = new Set<Line>();
  let isClosed = false;
  let sweeper: ReturnType<typeof setTimeout> | undefined;
  let sweepsAt = 0;

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
    const due = Date.now() + patienceMs();
    if (isClosed || (sweeper && due >= sweepsAt)) return;
    clearTimeout(sweeper);
    sweepsAt = due;
    sweeper = setTimeout(() => {
      sweeper = undefined;
      // The oldest are in front.
      while (idle[0] && (idle[0].line.isDead || Date.now() - idle[0].since >= patienceMs())) {
        void idle.shift()?.line.end();
      }
      if (idle.length > 0) sweepLater();
    }, patienceMs());
    sweeper.unref();
  };
  const patienceMs = (): number => (idle.length > 1 ? spareIdleMs : lastIdleMs);
  const borrow = (): Line | Promise<Line> => {
    const line = take();
    if (!line) return new Promise((resolve) => waiting.push(resolve));
    lent.add(line);
    return line;
  };

  if (first) {
    idle.push({ line: first, since: Date.now() });
    sweepLater();
  }
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
