import { defineBenchmark, type Goal } from "./benchmark.ts";
import { random } from "./brain/corpus.ts";
import { fillEdits } from "./brain/fill-brain.ts";
import { filledBrain, madeRepo } from "./brain/filled-brain.ts";

const why = "why, one line";
const goal: Goal = {
  text: "at most 50 ms at 1,000,000 edits",
  judge: (of) => ({ figure: `${of(why).median.toFixed(1)} ms`, met: of(why).median <= 50 }),
};

export default defineBenchmark({
  name: "brain-why",
  what: "From a line to the edit, the intent, the run, decisions, findings, evals and the ship, among 1,000,000 edits; and what else reads them.",
  unit: "ms",
  rounds: 40,
  warmUp: 5,
  goals: [goal],
  prepare: async ({ say }) => {
    say("making 1,000,000 edits");
    const brain = await filledBrain((sql, of) => fillEdits(sql, of, 1_000_000));
    const next = random(3);
    const file = () => `src/file${Math.floor(next() * 5000) + 1}.ts`;
    const parent = () =>
      Math.floor(next() * 5000)
        .toString(16)
        .padStart(40, "0");
    return {
      contenders: [
        {
          name: why,
          sample: async () => [
            await brain.ask("select api.why($1, $2, $3, $4, $5, $6, now())", [
              madeRepo,
              file(),
              42,
              "f".repeat(40),
              [parent()],
            ]),
          ],
        },
        {
          name: "a file's story",
          sample: async () => [await brain.ask("select api.file_story($1, $2, $3)", [madeRepo, file()])],
        },
        {
          name: "hot files of a week",
          sample: async () => [await brain.ask("select * from api.hot_files($1, $2)", [madeRepo])],
        },
        { name: "the digest", sample: async () => [await brain.ask("select api.brain_digest($1, $2)", [madeRepo])] },
      ],
      finish: brain.close,
    };
  },
});
