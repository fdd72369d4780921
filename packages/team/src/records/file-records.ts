/**
 * A file of a skill as records.
 *
 * - `recordsOfFile(what, text, about)` one record per object of the file; throws `input_invalid` that names the first wrong member.
 *   Secrets are removed. A file that is pushed again is the same record.
 */
import { DevflowError } from "@devflow/core/errors";
import { parseJson } from "@devflow/core/read-if-there";
import type { RecordDraft } from "../spool/index.ts";
import { type DraftPlace, draftOf } from "./draft-of.ts";
import { type FilePayload, filePayloads } from "./payloads.ts";

export interface FileRecords {
  readonly drafts: readonly Pick<RecordDraft, "id" | "kind" | "payload">[];
  /** How many secrets were removed. */
  readonly redacted: number;
}

const mostRecords = 500;

export function recordsOfFile(
  what: FilePayload,
  text: string,
  about: DraftPlace & { readonly file: string },
): FileRecords {
  const { schema } = filePayloads[what];
  const content = parseJson(text);
  const list = Array.isArray(content) ? content : [content];
  if (content === undefined) throw unfit(about.file, "it is not JSON", what);
  if (list.length === 0 || list.length > mostRecords)
    throw unfit(about.file, `it has ${list.length} entries, not 1 to ${mostRecords}`, what);
  let redacted = 0;
  const drafts = list.map((one, index) => {
    const parsed = schema.safeParse(one, { reportInput: true });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const where = [...(Array.isArray(content) ? [index] : []), ...(issue?.path ?? [])].join(".");
      const isMissing = issue?.code === "invalid_type" && issue.input === undefined && issue.path.length > 0;
      if (isMissing) throw unfit(about.file, `${where} is missing`, what);
      throw unfit(about.file, `${where ? `${where}: ` : ""}${issue?.message ?? "not valid"}`, what);
    }
    const made = draftOf(what, parsed.data, about);
    redacted += made.redacted;
    return made.draft;
  });
  return { drafts, redacted };
}

function unfit(file: string, reason: string, what: FilePayload): DevflowError {
  return new DevflowError("input_invalid", {
    details: {
      problem: `${file} cannot be pushed: ${reason}.`,
      next: `See what a file contains: devflow sync push-${what} --help`,
    },
  });
}
