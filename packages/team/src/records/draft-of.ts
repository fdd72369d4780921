/**
 * One payload as the draft of a record.
 *
 * - `draftOf(what, payload, about)` without secrets; the id comes from the content, so that the same content is the same record.
 */
import { hash } from "@devflow/core/hash";
import { uuidv5 } from "@devflow/core/ids";
import { redactJson, safeJson } from "@devflow/redact";
import type { RecordDraft } from "../spool/index.ts";
import { type FilePayload, filePayloads } from "./payloads.ts";

export interface DraftPlace {
  readonly team: string;
  readonly repo: string | null;
}

const namespace = "0e6a3c0b-9f0e-5d3f-8a1c-55b0f7f4d5a2";

export function draftOf(
  what: FilePayload,
  payload: unknown,
  { team, repo }: DraftPlace,
): { readonly draft: Pick<RecordDraft, "id" | "kind" | "payload">; readonly redacted: number } {
  const { kind } = filePayloads[what];
  const clean = redactJson(safeJson(payload).value as object);
  const id = uuidv5(namespace, `${team}\n${kind}\n${repo ?? ""}\n${hash(clean.value)}`);
  return { draft: { id, kind, payload: clean.value }, redacted: clean.count };
}
