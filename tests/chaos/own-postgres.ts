/**
 * A Postgres of its own, with everything a run needs, which can be killed without disturbing other tests.
 *
 * - `openOwnPostgres(templates)`; `kill()` is a kill -9 of the postmaster, then a start as a server would do it.
 */
import { uuidv7 } from "@devflow/core/ids";
import { openDatabase } from "@devflow/db";
import { type PostgresCluster, startPostgres } from "@devflow/db/postgres";
import { seedDefinitions, shippedDefinitions, Template, templateHash } from "@devflow/runs/testing";
import { postgresFolder, quietLog } from "@devflow/testkit";
import type { z } from "zod";

export async function openOwnPostgres(templates: readonly z.input<typeof Template>[]) {
  const place = await postgresFolder();
  const start = () => startPostgres({ folder: place.folder, choice: "auto", testing: true, log: quietLog });
  let cluster: PostgresCluster = await start();
  const name = "chaos";
  const database = await openDatabase({ target: cluster.admin, database: name, log: quietLog });
  const userId = uuidv7();
  await database.asEngine(async (tx) => {
    await tx`select app.ensure_user(${userId}, 'Ada')`;
    await seedDefinitions(tx, shippedDefinitions());
    for (const template of templates.map((one) => Template.parse(one)))
      await tx`
        insert into app.workflow_templates (name, version, hash, definition)
        values (${template.name}, ${template.version}, ${templateHash(template)}, ${tx.json(template as never)})`;
  });
  const [team] = await database.withClaims(
    { sub: userId, role: "authenticated" },
    (tx) => tx<{ id: string }[]>`select id from api.create_team('Team')`,
  );
  return {
    database,
    name,
    target: cluster.admin,
    userId,
    teamId: team?.id ?? "",
    async kill() {
      process.kill(cluster.pid, "SIGKILL");
      // What it held died with it.
      await cluster.release().catch(() => undefined);
      cluster = await start();
    },
    async close() {
      await database.close();
      await cluster.stop();
      await place.remove();
    },
  };
}
