/**
 * Reads lists again after changes: soon after a change, once for all changes that came together, and never twice at the same time.
 *
 * - `startStaleLists({ read })` → `{ mark, stop }`; `read(list)` ends when the list was read.
 *
 * A busy team changes many times a second. A reading that takes longer than the pause between changes is still finished before the next one
 * starts: cutting it off each time would leave the screen as it was for as long as the team works.
 */
export interface StaleLists<List extends string> {
  mark(list: List): void;
  stop(): void;
}

/** Too short to notice. */
const gatherMs = 100;

export function startStaleLists<List extends string>({
  read,
  pauseMs,
}: {
  read(list: List): Promise<unknown>;
  /** How long a list rests after it was read. */
  pauseMs(list: List): number;
}): StaleLists<List> {
  /** Of each list that is going to be read, is being read or rests: whether it changed meanwhile. */
  const busy = new Map<List, boolean>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  let isStopped = false;

  function after(ms: number, work: () => void): void {
    if (isStopped) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  }

  function start(list: List): void {
    busy.set(list, false);
    // What failed shows on its screen.
    void read(list)
      .catch(() => {})
      .then(() => after(pauseMs(list), () => (busy.get(list) ? start(list) : busy.delete(list))));
  }

  return {
    mark(list) {
      if (busy.has(list)) {
        busy.set(list, true);
        return;
      }
      busy.set(list, true);
      after(gatherMs, () => start(list));
    },
    stop() {
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
