import { rmSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@devflow/core/clock";
import { uuidv7 } from "@devflow/core/ids";
import { Secret } from "@devflow/core/secret";
import { cacheFolder, pullTeam } from "@devflow/team/cache";
import { drainNow } from "@devflow/team/drain";
import { spool, spoolFolder } from "@devflow/team/spool";
import { defineBenchmark, type Goal } from "./benchmark.ts";
import { callFunction, prepareServer } from "./local-server.ts";

const drain = "drain of 500 records";
const bare = "the same 500 records in one call";
const pull = "pull of 10,000 changes";
const status = "devflow sync status";

const within = (text: string, contender: string, limitMs: number): Goal => ({
  text,
  judge: (of) => ({ figure: `${of(contender).median.toFixed(0)} ms`, met: of(contender).median <= limitMs }),
});

export default defineBenchmark({
  name: "sync",
  what: "Records to the team store and back, on loopback with production durability: spool files, HTTP, row-level security, commit.",
  unit: "ms",
  rounds: 5,
  warmUp: 1,
  goals: [
    within("500 records drain in at most 1 s", drain, 1_000),
    within("10,000 changes are pulled in at most 1 s", pull, 1_000),
    within("`sync status` in at most 30 ms", status, 30),
  ],
  prepare: async (context) => {
    const server = await prepareServer(context);
    server.up();
    const me = await callFunction<{ id: string }>(server, "whoami", {});
    const [team] = await callFunction<{ id: string }[]>(server, "my_teams", {});
    const to = { server: "local", team: team?.id ?? "", user: me.id };
    const { host, port, token } = server.state();
    const connection = { url: `http://${host}:${port}`, token: new Secret(token) };
    const folder = spoolFolder(server.home);
    const ports = { folder, now: Date.now, random: Math.random, sleep: systemClock.sleep };
    const push = async () => {
      const report = await drainNow({ ...ports, tokenFor: async () => connection, onEvicted: async () => {} });
      if (report === "busy") throw new Error("another process drains");
      return report.sent;
    };
    const payload = (n: number) => ({ version: `1.0.${n}`, branch: "main", notes: "measured ".repeat(20) });
    const fill = async (amount: number) => {
      for (let n = 0; n < amount; n++)
        await spool(server.home, { kind: "ship_log", to, repo: null, payload: payload(n) });
    };
    const of = { server: "local", team: to.team, repo: null };
    const cache = cacheFolder(server.home, of);
    const pullNow = () => pullTeam({ home: server.home, of, connection, now: Date.now });
    // The cursor before the changes, so that each round pulls the same 10,000.
    await pullNow();
    const before = await Bun.file(join(cache, ".meta.json")).text();
    await fill(10_000);
    await push();
    return {
      contenders: [
        {
          name: drain,
          sample: async () => {
            await fill(500);
            return [await timed(push)];
          },
        },
        {
          name: bare,
          sample: async () => {
            const at = new Date().toISOString();
            const records = Array.from({ length: 500 }, (_, n) => ({
              ...{
                id: uuidv7(),
                kind: "ship_log",
                schema_version: 1,
                at,
                repo: null,
                agent: null,
                payload: payload(n),
              },
            }));
            return [await timed(() => callFunction(server, "push_records", { team_id: to.team, records }))];
          },
        },
        {
          name: pull,
          sample: async () => {
            rmSync(join(cache, "ship_log.json"), { force: true });
            await Bun.write(join(cache, ".meta.json"), before);
            return [await timed(pullNow)];
          },
        },
        { name: status, sample: async () => [server.run("sync", "status")] },
      ],
      finish: async () => server.remove(),
    };
  },
});

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = Bun.nanoseconds();
  await work();
  return (Bun.nanoseconds() - started) / 1e6;
}
