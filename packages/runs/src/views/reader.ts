/** Whoever reads: every view runs in the caller's name, so that row-level security decides what is there. */
import type { Claims, Database } from "@devflow/db";

export interface Reader {
  readonly database: Pick<Database, "withClaims">;
  readonly claims: Claims;
}
