/**
 * A small pool of lines.
 *
 * - `createLinePool(options)`; `pool.use(work)` takes a free line, opens one, or waits.
 *
 * A dead line is dropped when it is returned. Idle lines are closed, so that an idle server uses little: each is a Postgres
 * process of 2 to 3 MB, and opening one takes 8 ms. The last one stays for a minute, for occasional requests; the others,
 * opened by a page with many parallel requests, for a few seconds.
 */
import { connectionLost, type Line } from "./line.ts";

export interface LinePool {
  use<T>(work: (line: Line) => Promise<T>): Promise<T>;
  /** Refuses new work, waits for current work, closes all. */
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
    // The most recently used line has statements prepared and cached.
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
      // The oldest come first.
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
