/**
 * A lock that a process holds for as long as it lives, on a connection of its own: killed, it gives the lock back.
 *
 * - `holdLock(open, name, log)` undefined when another process keeps it. A lost connection takes it again.
 * - `lock.lost` resolves when another process took it while the connection was gone.
 */
import type { Log } from "@devflow/core/log";
import type { Line } from "./line.ts";

export interface HeldLock {
  readonly lost: Promise<void>;
  release(): Promise<void>;
}

/** A process that was just killed keeps its lock until Postgres notices. */
const leavingMs = 3_000;
const pauseMs = 100;
const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));

export async function holdLock(open: () => Line, name: string, log: Log): Promise<HeldLock | undefined> {
  let isOver = false;
  let line = open();
  const take = async (): Promise<boolean> => {
    for (const deadline = Date.now() + leavingMs; ; await pause()) {
      const [row] = await line.statement<{ got: boolean }[]>`
        select pg_try_advisory_lock(hashtextextended(${name}, 0)) as got`;
      if (row?.got || isOver) return true;
      if (Date.now() > deadline) return false;
    }
  };
  /** Resolves when it is lost for good; never after `release`. */
  const keep = async (): Promise<void> => {
    for (;;) {
      await line.died;
      while (!isOver && line.isDead) {
        await pause();
        line = open();
        const isOurs = await take().catch((error: unknown) => {
          log.debug({ err: error, lock: name }, "a lock waits for Postgres");
          return undefined;
        });
        if (isOurs === undefined) await line.end();
        if (isOurs === false) return await line.end();
      }
      if (isOver) return await new Promise(() => undefined);
    }
  };
  try {
    if (await take()) {
      const release = async () => {
        isOver = true;
        await line.end();
      };
      return { lost: keep(), release };
    }
  } catch (error) {
    await line.end();
    throw error;
  }
  await line.end();
  return undefined;
}
