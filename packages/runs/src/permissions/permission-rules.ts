/**
 * What people allowed for every run on a repository of this machine.
 *
 * - `listRules(reader)` those of the caller's teams, oldest first.
 * - `removeRule(context, id)` from then on agents ask again.
 */
import type { PermissionRuleView } from "@devflow/protocol";
import type { EngineContext } from "../engine/context.ts";
import type { Reader } from "../views/index.ts";

export async function listRules({ database, claims }: Reader): Promise<PermissionRuleView[]> {
  const rows = await database.withClaims(
    claims,
    (tx) => tx<{ rule: PermissionRuleView }[]>`
      select jsonb_build_object('id', id, 'repository', repo_path, 'covers', covers, 'createdAt', app.iso(created_at)) as rule
      from app.permission_rules order by created_at, id`,
  );
  return rows.map((row) => row.rule);
}

/** False when there is no such rule. */
export async function removeRule({ database }: EngineContext, id: string): Promise<boolean> {
  const rows = await database.asEngine((tx) => tx`delete from app.permission_rules where id = ${id} returning id`);
  return rows.length > 0;
}
