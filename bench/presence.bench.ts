import { uuidv7 } from "@devflow/core/ids";
import { defineBenchmark } from "./benchmark.ts";
import { callFunction, prepareServer } from "./local-server.ts";
import { broadcast } from "./team-stream.ts";

const subscribers = 100;
const changesPerSecond = 10;
const seconds = 10;
const delay = "from sending a write to its arrival";
const wrong = "missed or doubled";

export default defineBenchmark({
  name: "presence",
  what: `${subscribers} subscribers of one team; ${changesPerSecond} times a second for ${seconds} s somebody turns to something else, intends or hands over.`,
  unit: "ms",
  rounds: 1,
  warmUp: 0,
  goals: [
    {
      text: "95 % arrive within 250 ms",
      judge: (of) => ({ figure: `p95 ${of(delay).p95.toFixed(0)} ms`, met: of(delay).p95 <= 250 }),
    },
    {
      text: "no subscriber misses one or receives one twice",
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
    const team_id = team?.id ?? "";
    const agent = { id: uuidv7(), host: "claude", session: "s", machine: "bench" };
    const push = (kind: string, payload: object) => {
      const record = { id: uuidv7(), kind, schema_version: 1, at: new Date().toISOString(), payload };
      return callFunction(server, "push_records", { team_id, records: [record] });
    };
    const about = { agent, files: [], branch: "main", text: "Limit requests" };
    const writes = [
      (n: number) => callFunction(server, "heartbeat", { team_id, agent, intent_text: `Step ${n}` }),
      () => {
        const intent = { intent_id: uuidv7(), rev: 1, state: "active", features: [], decisions: [], source: "person" };
        return push("intent", { ...about, ...intent, confidence: 1 });
      },
      () => push("handoff", { ...about, source: "auto" }),
    ] as const;
    const write = async (n: number) => void (await writes[n % writes.length]?.(n));
    let found: ReturnType<typeof broadcast> | undefined;
    const result = () => {
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
