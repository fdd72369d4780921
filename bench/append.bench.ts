import { uuidv7 } from "@devflow/core/ids";
import { changeRun } from "@devflow/runs/testing";
import { defineBenchmark, ratioGoal } from "./benchmark.ts";
import { prepareEngine } from "./local-engine.ts";

const ours = "an event of a run";
const bare = "insert; commit";

export default defineBenchmark({
  name: "append",
  what: "Appending one event to a run's chain (lock, key, hash, insert, head), compared with a bare insert of such a row; fsync on.",
  unit: "ms",
  rounds: 500,
  warmUp: 100,
  goals: [
    ratioGoal("at most 1.3× the bare insert", ours, bare, 1.3),
    {
      text: "at most 1 ms more",
      judge: (of) => {
        const more = of(ours).median - of(bare).median;
        return { figure: `${more.toFixed(2)} ms more`, met: more <= 1 };
      },
    },
  ],
  prepare: async () => {
    const local = await prepareEngine();
    const { database, person } = local;
    const runId = await local.run();
    await local.engine.stop();
    const [row] = await database.asEngine(
      (tx) => tx<{ team_id: string; session_id: string }[]>`
        select team_id, id as session_id from app.sessions where run_id = ${runId} limit 1`,
    );
    let last = 1_000_000;
    return {
      contenders: [
        {
          name: ours,
          sample: timed(() =>
            changeRun(database, runId, person, async (fact) => {
              fact.emit({ type: "usage.recorded", key: uuidv7(), payload: { tokens: 1 } });
            }),
          ),
        },
        {
          name: bare,
          sample: timed(() =>
            database.asEngine(
              (tx) => tx`
                insert into app.run_usage (run_id, team_id, session_id, fact_seq, model, cost_kind)
                values (${runId}, ${row?.team_id ?? ""}, ${row?.session_id ?? ""}, ${++last}, 'bench', 'actual')`,
            ),
          ),
        },
      ],
      finish: () => local.finish(),
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
