/**
 * Keeps the database's templates and personas in step with the files of this machine.
 *
 * - `createDefinitionStore(options)`; `ensure()` reads the files if they changed since the last time. A broken or edited
 *   file fails nobody: what was stored before stays in force, and `faults()` says what is wrong.
 * - `reseed()` reads them in any case.
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "@devflow/core/log";
import type { Database } from "@devflow/db";
import type { DefinitionFileFault } from "@devflow/protocol";
import { shownFaults } from "./read-definition.ts";
import { type Refusal, readDefinitions } from "./registry.ts";
import { type SeedResult, seedDefinitions } from "./seed-definitions.ts";

export interface DefinitionStore {
  ensure(): Promise<void>;
  reseed(): Promise<SeedResult>;
  faults(): readonly DefinitionFileFault[];
}

export function createDefinitionStore(options: {
  readonly home: string;
  readonly database: Pick<Database, "asEngine">;
  readonly log: Log;
}): DefinitionStore {
  const { home, database, log } = options;
  let seen: string | undefined;
  let faults: readonly DefinitionFileFault[] = [];
  let reading: Promise<unknown> = Promise.resolve();

  const read = async (): Promise<SeedResult> => {
    // Taken first: a file that changes while it is read is read again the next time.
    const stamp = await stampOf(home);
    const definitions = await readDefinitions({ home });
    const seeded = await database.asEngine((tx) =>
      seedDefinitions(tx, definitions, { faults: "return", gone: "keep" }),
    );
    const now = [...definitions.refused, ...seeded.refused].map(faultOf);
    const known = new Set(faults.map(({ problem }) => problem));
    for (const { file, problem } of now)
      if (!known.has(problem)) log.warn({ file, problem }, "a definition is not valid and is ignored");
    faults = now;
    seen = stamp;
    return seeded;
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = reading.then(work, work);
    reading = done.catch(() => undefined);
    return done;
  };

  return {
    ensure: () =>
      inTurn(async () => {
        if (seen === undefined || seen !== (await stampOf(home))) await read();
      }),
    reseed: () => inTurn(read),
    faults: () => faults,
  };
}

const faultOf = ({ file, faults }: Refusal): DefinitionFileFault => ({ file, problem: shownFaults(file, faults) });

/** Changes whenever a file is added, removed, replaced or written. */
async function stampOf(home: string): Promise<string> {
  const parts: string[] = [];
  for (const kind of ["templates", "personas", "schemas"]) {
    const folder = join(home, kind);
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    for (const name of names.sort()) {
      const found = await stat(join(folder, name)).catch(() => undefined);
      parts.push(`${kind}/${name} ${found?.ino} ${found?.size} ${found?.mtimeMs} ${found?.ctimeMs}`);
    }
  }
  return parts.join("\n");
}
