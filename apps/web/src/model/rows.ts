/** Rows of the data plane, with column names as in SQL. Changes are converted to the protocol's names. */
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

/** A row of a team's log, without the team id. Sequence numbers are bigint, which some drivers write as text. */
export const changeRowOf = (teamId: string) =>
  z
    .object({ seq: z.coerce.number(), kind: z.string(), entity_id: z.string(), op: z.string(), at: z.string() })
    .transform(({ entity_id, ...row }) => ({ ...row, teamId, entityId: entity_id }))
    .pipe(Change);
