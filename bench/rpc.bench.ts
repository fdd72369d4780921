import { createLog } from "@devflow/core/log";
import { findPostgres, openDatabase } from "@devflow/db";
import { defineBenchmark } from "./benchmark.ts";
import { callFunction, prepareServer } from "./local-server.ts";

const ours = "POST /rest/v1/rpc/ping";
const driver = "the same transaction on the driver";

export default defineBenchmark({
  name: "rpc",
  what: "A warm call that writes: token, role switch, row-level security, commit to disk (fsync on), response.",
  unit: "ms",
  rounds: 400,
  warmUp: 100,
  goals: [
    {
      text: "the server adds at most 1 ms to the transaction",
      judge: (of) => {
        const more = of(ours).median - of(driver).median;
        return { figure: `${more.toFixed(2)} ms more`, met: more <= 1 };
      },
    },
  ],
  prepare: async (context) => {
    const server = await prepareServer(context);
    server.up();
    const log = createLog({ level: "silent", module: "bench" });
    const cluster = await findPostgres({ folder: server.postgresFolder, log });
    if (!cluster) throw new Error("the server has no Postgres");
    const database = await openDatabase({ target: cluster.admin, poolSize: 1, log });
    const me = await callFunction<{ id: string }>(server, "whoami", {});
    const [team] = await callFunction<{ id: string }[]>(server, "my_teams", {});
    const teamId = team?.id ?? "";
    const note = { text: "measured", at: 1 };
    const claims = { sub: me.id, role: "authenticated" as const, aud: "devflow" };
    return {
      contenders: [
        {
          name: ours,
          sample: timed(() => callFunction(server, "ping", { team_id: teamId, note })),
        },
        {
          name: driver,
          sample: timed(() =>
            database.withClaims(
              claims,
              (tx) => tx`select api.ping(team_id => ${teamId}::uuid, note => ${tx.json(note)}::jsonb)`,
            ),
          ),
        },
      ],
      finish: async () => {
        await database.close();
        await cluster.release();
        server.remove();
      },
    };
  },
});

function timed(work: () => Promise<unknown>) {
  return async () => {
    const started = Bun.nanoseconds();
    await work();
    return [(Bun.nanoseconds() - started) / 1e6];
  };
}
