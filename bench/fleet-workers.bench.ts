import { type FleetWorker, openFleet } from "@devflow/worker/testing/fleet";
import { defineBenchmark, limitGoal } from "./benchmark.ts";
import { promptsTwice } from "./fleet/prompts-twice.ts";

const amount = 100;
const workers = 4;
const killEveryMs = 10_000;
const awayMs = 5_000;
const ours = `${amount} runs`;
const twice = "prompts received twice";

export default defineBenchmark({
  name: "fleet-workers",
  what: `${amount} runs on ${workers} workers with homes of their own on one machine. Every 10 s one worker is killed (kill -9) and started again after 5 s, every third one never. A person approves every gate, those of lost machines included.`,
  unit: "count",
  rounds: 1,
  warmUp: 0,
  goals: [
    {
      text: "all complete",
      judge: (of) => ({ figure: `${of(ours).median} completed`, met: of(ours).median === amount }),
    },
    limitGoal("no prompt twice in one session", twice, 0, "prompts"),
  ],
  prepare: async ({ say }) => {
    // A run may lose its machine several times; what counts is that it completes.
    const fleet = await openFleet({ patienceMs: 900_000 });
    const all: FleetWorker[] = [];
    for (let index = 1; index <= workers; index++)
      all.push(
        await fleet.addWorker(`worker-${index}`, { DEVFLOW_WORKER_LABELS: "any", DEVFLOW_MAX_CONCURRENT_RUNS: "5" }),
      );
    const done = new AbortController();
    const disturb = async () => {
      for (let kills = 1, living = [...all]; !done.signal.aborted && living.length > 1; kills++) {
        await Bun.sleep(killEveryMs);
        const victim = living[kills % living.length];
        if (!victim || done.signal.aborted) return;
        await victim.kill();
        say(`killed ${victim.name}`);
        if (kills % 3 === 0) living = living.filter((one) => one !== victim);
        else void Bun.sleep(awayMs).then(() => victim.start());
      }
    };
    const approve = async () => {
      while (!done.signal.aborted) {
        for (const gate of await fleet.openGates()) await fleet.decide(gate.id);
        await Bun.sleep(200);
      }
    };
    return {
      contenders: [
        {
          name: ours,
          sample: async () => {
            const helpers = [disturb(), approve()];
            const states: string[] = [];
            let left = amount;
            const starter = async () => {
              while (left-- > 0)
                states.push((await fleet.closed(await fleet.startRun("any", {}, { queue: true }))).state);
            };
            await Promise.all(Array.from({ length: 15 }, starter));
            done.abort();
            await Promise.all(helpers);
            return [states.filter((one) => one === "completed").length];
          },
        },
        { name: twice, sample: async () => [await promptsTwice(all.map((one) => one.home.devflowHome))] },
      ],
      finish: () => fleet.close(),
    };
  },
});
