/**
 * What a browser that ended because nobody used it leaves for the next one: tabs, cookies and storage of its sessions. The
 * file is private to the user and encrypted with this machine's key, and it is removed when it is read.
 *
 * - `keepState(file, key, kept)`; `takeState(file, key)` undefined when there is none, or it is too old or unreadable.
 */
import { rm } from "node:fs/promises";
import { readPrivateFile, writeFileAtomic } from "@devflow/core/atomic-file";
import { z } from "zod";
import { seal, unseal } from "./sealed.ts";
import type { RememberedSession } from "./session-memory.ts";

export interface KeptState {
  readonly endedAt: string;
  readonly idleMinutes: number;
  readonly sessions: readonly RememberedSession[];
}

/** After this, log-ins are better made again. */
const keptForMs = 7 * 24 * 3_600_000;

const shape = z.object({
  endedAt: z.iso.datetime(),
  idleMinutes: z.number(),
  sessions: z.array(z.custom<RememberedSession>((one) => typeof one === "object" && one !== null && "tabs" in one)),
});

export async function keepState(file: string, key: Buffer, kept: KeptState): Promise<void> {
  await writeFileAtomic(file, seal(JSON.stringify(kept), key));
}

export async function takeState(file: string, key: () => Promise<Buffer>): Promise<KeptState | undefined> {
  const sealed = await readPrivateFile(file).catch(() => undefined);
  if (sealed === undefined) return undefined;
  await rm(file, { force: true });
  try {
    const kept = shape.parse(JSON.parse(unseal(sealed, await key())));
    return Date.now() - Date.parse(kept.endedAt) > keptForMs ? undefined : kept;
  } catch {
    // From another machine, or damaged: the browser starts empty.
    return undefined;
  }
}
