/**
 * The decision that a person means by its number, its id, or some characters of it.
 *
 * - `localDecisions(brain)` those in this machine's cache, with its own unsent ones; each with all of its text.
 * - `findDecision(brain, ref)` with its text, from the server or the cache; throws `not_found`.
 */
import { foldDecisions, type LocalDecision } from "@devflow/brain/decisions";
import { DevflowError } from "@devflow/core/errors";
import { isUuid } from "@devflow/core/ids";
import type { DecisionDetail } from "@devflow/protocol";
import { readRows } from "@devflow/team/cache";
import { unsentRecords } from "@devflow/team/drain";
import { spoolFolder } from "@devflow/team/spool";
import { type Brain, isOffline, type Source } from "./open-brain.ts";

export async function localDecisions(brain: Brain): Promise<LocalDecision[]> {
  const { place, home, folder, author } = brain;
  const unsent = await unsentRecords(spoolFolder(home.root), { ...place.to, kinds: ["decision"] });
  const own = unsent.map((record) => ({ ...record, user_id: author.id, user_name: author.name }));
  const pulled = await readRows(folder, "decision");
  const digest = await brain.digest();
  const numbers = new Map(digest.decisions.map(({ id, number }) => [id, number]));
  return foldDecisions([...pulled, ...own], { nowMs: Date.now(), numbers });
}

export async function findDecision(brain: Brain, ref: string): Promise<{ decision: DecisionDetail; source: Source }> {
  const number = /^#?(\d{1,9})$/.exec(ref)?.[1];
  const known = await localDecisions(brain);
  const local = known.filter((one) =>
    number === undefined
      ? one.id === ref.toLowerCase() || one.id.endsWith(ref.toLowerCase())
      : one.number === Number(number),
  );
  const id = isUuid(ref) ? ref.toLowerCase() : local.length === 1 ? local[0]?.id : undefined;
  const wanted = id !== undefined ? { id } : number !== undefined ? { number: Number(number) } : undefined;
  if (local.length > 1) throw unclear(ref, local);
  if (wanted === undefined) throw missing(ref);
  const answer = await brain.ask("show_decision", { ...wanted, ...brain.repo }).catch((error: unknown) => {
    // The server has not got it yet; this machine may.
    if (error instanceof DevflowError && error.code === "not_found" && local[0])
      return { offline: "it was not sent yet" };
    throw error instanceof DevflowError && error.code === "not_found" ? missing(ref) : error;
  });
  const source = await brain.source(answer);
  if (!isOffline(answer)) return { decision: answer, source };
  const [found] = local;
  if (!found) throw missing(ref);
  const events = (await readRows(brain.folder, "decision_event")).filter(
    ({ payload }) => (payload as { decision_id?: string }).decision_id === found.id,
  );
  const timeline = events.map(({ at, user_name, payload }) => {
    const { event = "", text = null } = payload as { event?: string; text?: string };
    return { at, user_name, event, text };
  });
  return { decision: { ...found, timeline: timeline.reverse(), intents: [] }, source };
}

function missing(ref: string): DevflowError {
  return new DevflowError("not_found", {
    details: { what: `Decision ${ref}`, next: "Find it: devflow brain decide search <words>" },
  });
}

function unclear(ref: string, found: readonly LocalDecision[]): DevflowError {
  return new DevflowError("usage", {
    details: {
      problem: `${ref} could be ${found.length} decisions.`,
      next: `Name one by its id: ${found
        .slice(0, 5)
        .map(({ id }) => id)
        .join(", ")}`,
    },
  });
}
