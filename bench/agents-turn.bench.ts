import type { RunEventView } from "@devflow/protocol";
import { agentServer, type BenchBackend, backends, prepareAgents } from "./agents/agent-bench.ts";
import { bareClaude, bareCodex } from "./agents/bare-agents.ts";
import { defineBenchmark, type Goal } from "./benchmark.ts";

const titles = { claude: "Claude Code", codex: "Codex" } as const;
const alone = (backend: BenchBackend) => `${titles[backend]} alone`;
const behindPipes = (backend: BenchBackend) => `${titles[backend]} in a run, behind pipes`;
const inTmux = (backend: BenchBackend) => `${titles[backend]} in a run, in tmux`;
const turns = 6;

const added = (text: string, contender: string, bare: string, limitMs: number): Goal => ({
  text,
  judge: (of) => {
    const ms = of(contender).median - of(bare).median;
    return { figure: `${ms.toFixed(0)} ms`, met: ms <= limitMs };
  },
});

export default defineBenchmark({
  name: "agents-turn",
  what:
    "A turn of a real agent in which it writes a file; its model is scripted and answers at once. In a run: from the decision to " +
    "send the prompt, over the agent's confirmation, to the validated file. Alone: the same agent, driven through its pipes, from " +
    "the message to the end of its turn.",
  unit: "ms",
  rounds: 5,
  warmUp: 1,
  goals: backends.flatMap((backend) => [
    added(
      `a run adds at most 150 ms to a turn of ${titles[backend]} behind pipes`,
      behindPipes(backend),
      alone(backend),
      150,
    ),
    added(`at most 1 s in tmux`, inTmux(backend), alone(backend), 1_000),
  ]),
  prepare: async (context) => {
    const agents = await prepareAgents();
    const pipes = await agentServer(context, agents, { agentsIn: "pipes" });
    const tmux = await agentServer(context, agents, { agentsIn: "tmux" });
    const bare = { claude: await bareClaude(agents), codex: await bareCodex(agents) };
    const inRun = (server: typeof pipes, backend: BenchBackend) => async () => {
      const runId = await server.start(backend, turns);
      await server.ended(runId);
      // The first turn has the prelude, and follows the agent's start.
      return turnsOf(await server.events(runId)).slice(1);
    };
    const several = (backend: BenchBackend) => async () => {
      const taken: number[] = [];
      for (let turn = 1; turn < turns; turn++) taken.push(await bare[backend].turn());
      return taken;
    };
    return {
      contenders: backends.flatMap((backend) => [
        { name: behindPipes(backend), sample: inRun(pipes, backend) },
        { name: inTmux(backend), sample: inRun(tmux, backend) },
        { name: alone(backend), sample: several(backend) },
      ]),
      finish: async () => {
        for (const one of Object.values(bare)) await one.end();
        for (const server of [pipes, tmux]) server.remove();
        await agents.remove();
      },
    };
  },
});

/** From each intent to send a prompt to the validated file. */
function turnsOf(events: readonly RunEventView[]): number[] {
  const at = (type: string) => events.filter((one) => one.type === type).map((one) => Date.parse(one.at));
  const [sent, validated] = [at("session.busy"), at("artifact.validated")];
  return sent.map((from, index) => (validated[index] ?? Number.NaN) - from);
}
