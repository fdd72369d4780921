import { readFileSync } from "node:fs";
import { createLog } from "@devflow/core/log";
import { liveProcesses } from "@devflow/core/process-table";
import { findPostgres } from "@devflow/db";
import { defineBenchmark, limitGoal } from "./benchmark.ts";
import { prepareServer } from "./local-server.ts";

const idleMs = 10_000;

export default defineBenchmark({
  name: "memory",
  what: `Memory of an idle server, ${idleMs / 1000} s after it started and served its page. Pages shared by Postgres processes are counted once (PSS).`,
  unit: "MB",
  rounds: 3,
  warmUp: 0,
  goals: [
    limitGoal("the idle server uses at most 80 MB", "server, resident (RSS)", 80, "MB"),
    limitGoal("at most 130 MB with its Postgres", "server and Postgres", 130, "MB"),
  ],
  prepare: async (context) => {
    if (process.platform !== "linux") throw new Error("memory is read from /proc, so this benchmark needs Linux");
    const server = await prepareServer(context);
    server.up();
    const postgres = await findPostgres({
      folder: server.postgresFolder,
      log: createLog({ level: "silent", module: "bench" }),
    });
    const postmaster = postgres?.pid ?? 0;
    await postgres?.release();
    await (await server.request("/api/status")).text();
    await Bun.sleep(idleMs);
    const serverPid = server.state().pid;
    const cluster = () => [postmaster, ...childrenOf(postmaster)].reduce((sum, pid) => sum + memoryOf(pid, "Pss"), 0);
    return {
      contenders: [
        { name: "server", sample: async () => [memoryOf(serverPid, "Pss")] },
        { name: "server, resident (RSS)", sample: async () => [memoryOf(serverPid, "Rss")] },
        { name: "Postgres", sample: async () => [cluster()] },
        { name: "server and Postgres", sample: async () => [memoryOf(serverPid, "Pss") + cluster()] },
      ],
      finish: async () => server.remove(),
    };
  },
});

function memoryOf(pid: number, field: "Pss" | "Rss"): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(rollup)?.[1] ?? 0) / 1000;
}

function childrenOf(parent: number): number[] {
  return liveProcesses().flatMap((one) => (one.parent === parent ? [one.pid] : []));
}
