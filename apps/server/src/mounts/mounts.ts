/**
 * The mounts, each loaded on first use.
 *
 * - `openMounts(loads)`; `get(name)` loads it once, for any number of concurrent callers. They all get the error of a failed
 *   load, and the next caller tries again.
 * - `loaded()` those in memory; `drain`, `stop` and `close` take them down in three steps. After `drain` nothing more is
 *   loaded.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Answer } from "./mounted-routes.ts";
import type { MountName } from "./table.ts";

/** A system in memory. */
export interface Mounted {
  readonly answer: Answer;
  /** Open streams. */
  readonly subscribers?: number;
  /** What a restart would disturb, as text. */
  busy?(): Promise<readonly string[]>;
  /** What is wrong and does not stop it, as text. */
  problems?(): Promise<readonly string[]>;
  /** Ends background work; requests are still answered. */
  drain?(): Promise<void>;
  /** Ends the streams; no new requests are accepted. */
  stop?(): Promise<void> | void;
  /** Releases files and connections; all requests have ended. */
  close?(): Promise<void> | void;
}

export type Loads = Partial<Record<MountName, () => Promise<Mounted>>>;

export interface Mounts {
  has(name: MountName): boolean;
  get(name: MountName): Promise<Mounted>;
  loaded(): readonly Mounted[];
  drain(): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

export function openMounts(loads: Loads): Mounts {
  const loading = new Map<MountName, Promise<Mounted>>();
  const inMemory = new Map<MountName, Mounted>();
  let isDraining = false;

  async function load(name: MountName): Promise<Mounted> {
    const mounted = await loads[name]?.();
    if (!mounted) throw new DevflowError("not_found", { details: { what: name, next: "" } });
    inMemory.set(name, mounted);
    return mounted;
  }

  return {
    has: (name) => loads[name] !== undefined,
    get(name) {
      const known = loading.get(name);
      if (known) return known;
      if (isDraining) return Promise.reject(new DevflowError("server_busy"));
      const begun = load(name);
      loading.set(name, begun);
      begun.catch(() => loading.delete(name));
      return begun;
    },
    loaded: () => [...inMemory.values()],
    async drain() {
      isDraining = true;
      await Promise.allSettled(loading.values());
      await Promise.all([...inMemory.values()].map((one) => one.drain?.()));
    },
    async stop() {
      await Promise.all([...inMemory.values()].map((one) => one.stop?.()));
    },
    async close() {
      await Promise.all([...inMemory.values()].map((one) => one.close?.()));
    },
  };
}
