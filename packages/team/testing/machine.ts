/**
 * A machine for tests: a home with a spool, and a person who is signed in to some servers.
 *
 * - `machineAt(home, servers)` spools and drains in this process; `records()` what is in each folder of its spool.
 */
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@devflow/core/clock";
import type { Secret } from "@devflow/core/secret";
import { type DrainPorts, type DrainReport, drainNow, type PushNote } from "../src/drain/index.ts";
import {
  type Destination,
  type RecordDraft,
  readFileName,
  type SpoolOutcome,
  spool,
  spoolFolder,
} from "../src/spool/index.ts";

export interface Machine {
  readonly home: string;
  readonly ports: DrainPorts;
  readonly pushes: PushNote[];
  readonly evicted: Destination[];
  spool(draft: Partial<RecordDraft>, nowMs?: number): Promise<SpoolOutcome>;
  drain(): Promise<DrainReport>;
  /** Ids by folder; empty folders are left out. */
  records(): Record<string, string[]>;
}

export interface ServerAccess {
  readonly url: string;
  readonly token: Secret;
}

export function machineAt(
  home: string,
  servers: Readonly<Record<string, ServerAccess>>,
  to: Destination,
  ports: Partial<DrainPorts> = {},
): Machine {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const folder = spoolFolder(home);
  const pushes: PushNote[] = [];
  const evicted: Destination[] = [];
  const all: DrainPorts = {
    folder,
    tokenFor: async (server) => servers[server] ?? { waiting: `not signed in to ${server}` },
    now: Date.now,
    random: Math.random,
    sleep: systemClock.sleep,
    onEvicted: async (one) => void evicted.push(one),
    onPush: (note) => void pushes.push(note),
    ...ports,
  };
  return {
    home,
    pushes,
    evicted,
    ports: all,
    spool: (draft, nowMs) => spool(home, { kind: "ping", to, repo: null, payload: {}, ...draft }, nowMs),
    async drain() {
      const report = await drainNow(all);
      if (report === "busy") throw new Error("another process drains");
      return report;
    },
    records() {
      const found: Record<string, string[]> = {};
      for (const name of ["new", "cur", "wait", "dead", "sent"] as const) {
        const ids = idsIn(join(folder.root, name)).sort();
        if (ids.length > 0) found[name] = ids;
      }
      return found;
    },
  };
}

function idsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap(
    ({ name }) => readFileName(name)?.id ?? [],
  );
}
