/**
 * A process that uses the Postgres of a folder: prints one line of JSON when it is ready, and at the end of its input stops
 * it and prints the result. `--write` inserts rows until it dies, printing each acknowledged one.
 */
import { createLog } from "@devflow/core/log";
import { startPostgres } from "../src/embedded-postgres.ts";
import { openDatabase } from "../src/index.ts";

const [folder = "", mode = ""] = process.argv.slice(2);
const log = createLog({ level: "warn", module: "use-postgres" });
const cluster = await startPostgres({ folder, choice: "auto", testing: mode === "--testing", log });
if (mode === "--write") {
  const database = await openDatabase({ target: cluster.admin, log });
  const user = "00000000-0000-7000-8000-000000000001";
  await database.asEngine((tx) => tx`select app.ensure_user(${user}, 'Ann')`);
  const claims = { sub: user, role: "authenticated" } as const;
  const [team] = await database.withClaims(claims, (tx) => tx`select id from api.create_team('Writers')`);
  console.log(JSON.stringify({ pid: cluster.pid, team: team?.id }));
  for (;;) {
    const [ping] = await database.withClaims(claims, (tx) => tx`select id from api.ping(${team?.id})`);
    console.log(ping?.id);
  }
}
console.log(JSON.stringify({ pid: cluster.pid, adopted: cluster.adopted, version: cluster.version }));
process.stdin.on("end", async () => {
  console.log(JSON.stringify({ stop: await cluster.stop() }));
});
process.stdin.resume();
