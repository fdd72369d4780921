/**
 * The file of quarantines, committed with the code so that CI uses it too. It has one entry per line, sorted, so that two people
 * can each add one without a merge conflict.
 *
 * - `readQuarantines(path)`, `writeQuarantines(path, quarantines)`.
 * - `withQuarantine(all, one)`, `withoutQuarantine(all, which)` return the new list.
 */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import { readIfThere } from "@devflow/core/read-if-there";
import { z } from "zod";
import type { Quarantine } from "./quarantine.ts";

const entry = z.object({
  suite: z.string().min(1),
  case: z.string().min(1),
  owner: z.string().min(1),
  decided_at: z.iso.datetime({ offset: true }),
  expires_at: z.iso.datetime({ offset: true }),
  reason: z.string().optional(),
});

export async function readQuarantines(path: string): Promise<Quarantine[]> {
  const text = await readIfThere(path);
  if (text === undefined) return [];
  return entriesOf(path, text).map((one) => ({
    suite: one.suite,
    name: one.case,
    owner: one.owner,
    decidedAt: one.decided_at,
    expiresAt: one.expires_at,
    ...(one.reason === undefined ? {} : { reason: one.reason }),
  }));
}

function entriesOf(path: string, text: string): z.output<typeof entry>[] {
  try {
    return z.array(entry).parse(JSON.parse(text));
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const why = issue ? `${issue.path.join(".")}: ${issue.message}` : (error as Error).message;
    const problem = `${path} is not a valid list of quarantines: ${why}.`;
    throw new DevflowError("input_invalid", { details: { problem, next: `Fix it: $EDITOR ${path}` }, cause: error });
  }
}

export async function writeQuarantines(path: string, quarantines: readonly Quarantine[]): Promise<void> {
  const lines = quarantines
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map(({ suite, name, owner, decidedAt, expiresAt, reason }) =>
      JSON.stringify({ suite, case: name, owner, decided_at: decidedAt, expires_at: expiresAt, reason }),
    );
  await mkdir(dirname(path), { recursive: true });
  await writeFileAtomic(path, lines.length === 0 ? "[]\n" : `[\n  ${lines.join(",\n  ")}\n]\n`, 0o644);
}

const keyOf = ({ suite, name }: Pick<Quarantine, "suite" | "name">): string => `${suite}\u0000${name}`;

export function withQuarantine(all: readonly Quarantine[], one: Quarantine): Quarantine[] {
  return [...withoutQuarantine(all, one), one];
}

export function withoutQuarantine(all: readonly Quarantine[], which: Pick<Quarantine, "suite" | "name">): Quarantine[] {
  return all.filter((one) => keyOf(one) !== keyOf(which));
}
