/** The reader: every view runs on behalf of the caller, so that row-level security decides what is visible. */
import type { Claims, Database } from "@devflow/db";

export interface Reader {
  readonly database: Pick<Database, "withClaims">;
  readonly claims: Claims;
}
