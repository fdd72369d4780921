/**
 * What to do after a push, decided without doing it.
 *
 * - `decidePush(outcome, batch)` for a whole batch: settle it by its answers, try it again, halve it, look at the one record that is
 *   left of it, or leave the destination alone for now.
 * - `settlementOf(ids, answers)` what becomes of each record of a batch; a record that the answer does not list, or lists twice and
 *   differently, is kept.
 * - `backoffMs(attempt, random)` exponential with full jitter.
 */
import { RecordAnswer } from "@devflow/protocol";
import { type RpcOutcome, refusalText } from "../remote/index.ts";

export type PushDecision =
  | { readonly do: "settle"; readonly answers: readonly RecordAnswer[] }
  | { readonly do: "again" }
  | { readonly do: "halve" }
  /** Only this record, or the server as a whole? An empty push tells. */
  | { readonly do: "isolate"; readonly reason: string }
  | { readonly do: "renew token" }
  | { readonly do: "leave"; readonly reason: string; readonly afterMs?: number; readonly isEvicted?: boolean };

/** Something between us and the server says that it is away: no record is to blame. */
const away = new Set([408, 425, 429, 502, 503, 504]);
const equalFailures = 3;

export function decidePush(
  outcome: RpcOutcome,
  batch: {
    readonly size: number;
    /** How often in a row this batch has failed in this way, this time included. */
    readonly failures: number;
    readonly isTokenFresh: boolean;
  },
): PushDecision {
  if (outcome.is === "unreachable") return { do: "leave", reason: outcome.reason };
  if (outcome.is === "answered") {
    if (!Array.isArray(outcome.body)) return { do: "leave", reason: "the answer is not a list" };
    const answers = outcome.body.flatMap((one) => RecordAnswer.safeParse(one).data ?? []);
    return { do: "settle", answers };
  }
  const { status, code, details, message, retryAfterMs } = outcome;
  const reason = refusalText({ status, message });
  if (away.has(status)) {
    return { do: "leave", reason, ...(retryAfterMs === undefined ? {} : { afterMs: retryAfterMs }) };
  }
  if (status === 401 && !batch.isTokenFresh) return { do: "renew token" };
  // Only the database itself may say this; a proxy's 403 means nothing about membership.
  if (status === 403 && code === "42501" && details === "not_a_member") return { do: "leave", reason, isEvicted: true };
  if (status === 401 || status === 403 || status === 404) return { do: "leave", reason };
  if (status >= 500 && batch.failures < equalFailures) return { do: "again" };
  return batch.size > 1 ? { do: "halve" } : { do: "isolate", reason };
}

export type Settlement = { readonly to: "sent" | "gone" | "dead" | "wait" | "new"; readonly reason: string };

export function settlementOf(
  ids: readonly string[],
  answers: readonly RecordAnswer[],
): ReadonlyMap<string, Settlement> {
  const settled = new Map<string, Settlement>(ids.map((id) => [id, { to: "new", reason: "" }]));
  const said = new Map<string, string>();
  for (const { id: given, status, reason } of answers) {
    const id = given.toLowerCase();
    if (!settled.has(id)) continue;
    const before = said.get(id);
    said.set(id, status);
    settled.set(
      id,
      before === undefined || before === status
        ? { to: folderOf[status], reason: reason ?? status }
        : { to: "new", reason: "" },
    );
  }
  return settled;
}

const folderOf = { stored: "sent", duplicate: "sent", erased: "gone", rejected: "dead", deferred: "wait" } as const;

const baseMs = 500;
const capMs = 60_000;

/** Full jitter: many machines that lost the same server do not come back at the same moment. */
export function backoffMs(attempt: number, random: () => number): number {
  return Math.ceil(random() * Math.min(capMs, baseMs * 2 ** Math.min(attempt, 20)));
}
