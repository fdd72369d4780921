import { agentServer, prepareAgents } from "./agents/agent-bench.ts";
import { holdersOf, residentMb } from "./agents/holder-processes.ts";
import { defineBenchmark, limitGoal } from "./benchmark.ts";

const ours = "server, per session";
const count = 8;
const workMs = 20_000;
const settleMs = 10_000;

export default defineBenchmark({
  name: "agents-memory",
  what: `Memory per session while ${count} Claude Code agents work at once behind pipes: how much the server's resident memory has grown since a run with one agent had ended, by the number of sessions; and the holder of each agent.`,
  unit: "MB",
  rounds: 3,
  warmUp: 0,
  goals: [limitGoal("at most 5 MB per session in the server", ours, 5, "MB", 1)],
  prepare: async (context) => {
    if (process.platform !== "linux") throw new Error("it is read from /proc, so this benchmark needs Linux");
    const agents = await prepareAgents({ workMs });
    const server = await agentServer(context, agents, { agentsIn: "pipes" });
    const { pid } = server.state();
    // What a first run loads stays loaded.
    await server.ended(await server.start("claude", 1));
    await Bun.sleep(settleMs);
    const idle = residentMb(pid);
    let holders: number[] = [];
    return {
      contenders: [
        {
          name: ours,
          sample: async () => {
            const runs = await Promise.all(Array.from({ length: count }, () => server.start("claude", 1)));
            await Bun.sleep(settleMs);
            const grown = residentMb(pid) - idle;
            holders = holdersOf(server.home).map(residentMb);
            await Promise.all(runs.map((runId) => server.ended(runId)));
            return [grown / count];
          },
        },
        { name: "holder", sample: async () => holders },
      ],
      finish: async () => {
        server.remove();
        await agents.remove();
      },
    };
  },
});
