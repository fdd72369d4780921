import { defineBenchmark } from "./benchmark.ts";
import { callFunction, prepareServer } from "./local-server.ts";
import { broadcast } from "./team-stream.ts";

const subscribers = 500;
const changesPerSecond = 20;
const seconds = 10;
const delay = "from sending a write to its arrival";
const wrong = "missed or doubled";

/** One process holds all subscribers, so the figure includes parsing 10,000 events a second. */
export default defineBenchmark({
  name: "sse",
  what: `${subscribers} subscribers of one team, ${changesPerSecond} changes a second for ${seconds} s.`,
  unit: "ms",
  rounds: 1,
  warmUp: 0,
  goals: [
    {
      text: "95 % of changes arrive within 100 ms",
      judge: (of) => ({ figure: `p95 ${of(delay).p95.toFixed(0)} ms`, met: of(delay).p95 <= 100 }),
    },
    {
      text: "no subscriber misses a change or receives one twice",
      judge: (of) => ({
        figure: `${of(wrong).median} of ${subscribers * changesPerSecond * seconds}`,
        met: of(wrong).max === 0,
      }),
    },
  ],
  prepare: async (context) => {
    const server = await prepareServer(context);
    server.up();
    const [team] = await callFunction<{ id: string }[]>(server, "my_teams", {});
    let found: Promise<{ delays: number[]; faults: number }> | undefined;
    const result = () => {
      const team_id = team?.id ?? "";
      const write = async (index: number) => void (await callFunction(server, "ping", { team_id, note: { index } }));
      found ??= broadcast(server, team_id, { subscribers, changesPerSecond, seconds, write });
      return found;
    };
    return {
      contenders: [
        { name: delay, sample: async () => (await result()).delays },
        { name: wrong, sample: async () => [(await result()).faults] },
      ],
      finish: async () => server.remove(),
    };
  },
});
