/** Rows of the data plane as this page reads them: named as in SQL outside, as in the protocol inside. */
import { Change } from "@devflow/protocol";
import { z } from "zod";

export const RepoRow = z.object({
  id: z.string(),
  name: z.string(),
  remote: z.string().nullish(),
  default_branch: z.string().nullish(),
  path_hint: z.string().nullish(),
});
export type Repo = z.infer<typeof RepoRow>;

export const MemberRow = z.object({
  user_id: z.string(),
  name: z.string(),
  email: z.string().nullish(),
  role: z.string(),
});
export type Member = z.infer<typeof MemberRow>;

/** Sequence numbers are bigint in the database, and some drivers write those as text. */
export const ChangeRow = z
  .object({
    team_id: z.string(),
    seq: z.coerce.number(),
    kind: z.string(),
    entity_id: z.string(),
    op: z.string(),
    at: z.string(),
  })
  .transform((row) => ({
    teamId: row.team_id,
    seq: row.seq,
    kind: row.kind,
    entityId: row.entity_id,
    op: row.op,
    at: row.at,
  }))
  .pipe(Change);
