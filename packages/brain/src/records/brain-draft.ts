/**
 * A record of the brain, ready for the spool.
 *
 * - `brainDraft(kind, payload)` checked and without secrets; throws `input_invalid` that names the first wrong member.
 */
import { DevflowError } from "@devflow/core/errors";
import { redactJson, safeJson } from "@devflow/redact";
import type { z } from "zod";
import { type BrainKind, brainPayloads } from "./payloads.ts";

export interface BrainDraft<Kind extends BrainKind = BrainKind> {
  readonly kind: Kind;
  readonly payload: z.output<(typeof brainPayloads)[Kind]>;
  /** How many secrets were removed. */
  readonly redacted: number;
}

export function brainDraft<Kind extends BrainKind>(
  kind: Kind,
  payload: z.input<(typeof brainPayloads)[Kind]>,
): BrainDraft<Kind> {
  const clean = redactJson(safeJson(payload).value as object);
  const parsed = brainPayloads[kind].safeParse(clean.value);
  if (parsed.success) return { kind, payload: parsed.data as BrainDraft<Kind>["payload"], redacted: clean.count };
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") ?? "";
  throw new DevflowError("input_invalid", {
    details: {
      problem: `The ${kind.replace("_", " ")} cannot be recorded: ${where ? `${where}: ` : ""}${issue?.message ?? "not valid"}.`,
      next: "See what each part may be: docs/brain.md",
    },
  });
}
