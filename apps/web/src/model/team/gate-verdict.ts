/**
 * A verdict on a gate of a teammate's run, as a record.
 *
 * - `readGate(record)` the gate of a record; undefined when it is none, or does not wait.
 * - `verdictRecord(gate, verdict, nowMs)` what is pushed. It carries what the gate was when it was shown.
 * - `answerId(verdict)` the id of the record in which the machine of the run says what became of it.
 */
import { z } from "zod";

const Gate = z.object({
  run_id: z.uuid(),
  request_id: z.uuid(),
  epoch: z.number().int(),
  diff_hash: z.string().nullish(),
  state: z.literal("pending"),
});
export type WaitingGate = z.infer<typeof Gate>;

export const VerdictAnswer = z.object({ outcome: z.enum(["applied", "stale", "refused"]) });

export function readGate({
  kind,
  payload,
}: {
  readonly kind: string;
  readonly payload: unknown;
}): WaitingGate | undefined {
  return kind === "approval_request" ? Gate.safeParse(payload).data : undefined;
}

export interface GivenVerdict {
  readonly action: "approve" | "request_changes" | "reject";
  readonly comment: string;
}

export function verdictRecord(
  { run_id, request_id, epoch, diff_hash }: WaitingGate,
  { action, comment }: GivenVerdict,
  nowMs: number,
) {
  const said = comment.trim();
  return {
    ...{ id: timedId(nowMs), kind: "verdict", schema_version: 1, at: new Date(nowMs).toISOString() },
    payload: {
      ...{ run_id, request_id, epoch, diff_hash: diff_hash ?? null, action },
      ...(said === "" ? {} : { comment: said }),
    },
  };
}

/** A UUIDv7: of two verdicts on a gate, the older one counts. */
function timedId(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, "0");
  const rest = crypto.randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(15)}`;
}

/** A UUIDv5 of the verdict, as the machine of the run makes it. */
export async function answerId(verdict: string): Promise<string> {
  const space = Uint8Array.from(verdict.replaceAll("-", "").match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const named = new Uint8Array([...space, ...new TextEncoder().encode("answer")]);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", named)).slice(0, 16);
  digest[6] = 0x50 | (digest[6]! & 0x0f);
  digest[8] = 0x80 | (digest[8]! & 0x3f);
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
