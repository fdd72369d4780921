import { agentServer, prepareAgents } from "./agents/agent-bench.ts";
import { cpuMs, holdersOf } from "./agents/holder-processes.ts";
import { defineBenchmark, limitGoal } from "./benchmark.ts";

const ours = "server and holders";
const count = 8;
const workMs = 20_000;
const settleMs = 8_000;

export default defineBenchmark({
  name: "agents-eight",
  what: `Processor time that Devflow uses per second while ${count} Claude Code agents work at once behind pipes: each writes a line every half a second, for ${workMs / 1000} s. Without the agents themselves, and without Postgres.`,
  unit: "ms",
  rounds: 3,
  warmUp: 0,
  goals: [limitGoal("at most 10 % of two cores, 200 ms per second", ours, 200, "ms per second")],
  prepare: async (context) => {
    if (process.platform !== "linux") throw new Error("it is read from /proc, so this benchmark needs Linux");
    const agents = await prepareAgents({ workMs });
    const server = await agentServer(context, agents, { agentsIn: "pipes" });
    const parts: { server: number; holders: number }[] = [];
    return {
      contenders: [
        {
          name: ours,
          sample: async () => {
            const runs = await Promise.all(Array.from({ length: count }, () => server.start("claude", 1)));
            // Starting programs is not what is measured.
            await Bun.sleep(settleMs);
            const pid = server.state().pid;
            const holders = holdersOf(server.home);
            if (holders.length !== count) throw new Error(`${holders.length} of ${count} agents are at work`);
            const before = { server: cpuMs([pid]), holders: cpuMs(holders), at: Bun.nanoseconds() };
            await Bun.sleep(workMs / 2);
            const seconds = (Bun.nanoseconds() - before.at) / 1e9;
            const used = { server: cpuMs([pid]) - before.server, holders: cpuMs(holders) - before.holders };
            parts.push({ server: used.server / seconds, holders: used.holders / seconds });
            await Promise.all(runs.map((runId) => server.ended(runId)));
            return [(used.server + used.holders) / seconds];
          },
        },
        { name: "of that, the server", sample: async () => parts.slice(-1).map((one) => one.server) },
      ],
      finish: async () => {
        server.remove();
        await agents.remove();
      },
    };
  },
});
