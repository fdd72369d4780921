/** Permissions that agents of the caller's runs wait for, oldest first. */
import type { OpenPermission } from "@devflow/protocol";
import type { Reader } from "./reader.ts";
import { permissionJson, titleWithLane } from "./run-shapes.ts";

const mostPermissions = 200;

export async function listOpenPermissions({ database, claims }: Reader): Promise<OpenPermission[]> {
  const rows = await database.withClaims(
    claims,
    (tx) => tx<{ permission: OpenPermission }[]>`
      select ${permissionJson(tx)} || jsonb_build_object('runId', r.id, 'runTitle', ${titleWithLane(tx)}) as permission
      from app.permission_requests n join app.runs r on r.id = n.run_id join app.sessions s on s.id = n.session_id
      where n.state = 'pending' order by n.created_at, n.id limit ${mostPermissions}`,
  );
  return rows.map((row) => row.permission);
}
