import { type ComparedRun, compareRuns } from "@devflow/evals/compare";
import { madeResult, madeRun, pairCases, seededRandom } from "@devflow/evals/testing";
import { defineBenchmark, limitGoal } from "./benchmark.ts";

const size = 10_000;
const ours = "compare 10,000 × 10,000";
const pairing = "of which pairing";

export default defineBenchmark({
  name: "eval-compare",
  what: `Two eval runs of ${size} cases, the newer one after inserting, reordering and renaming a tenth each: pairing, all tests (pass, a criterion, cost, latency) and the complete report. Every pair is checked before timing.`,
  unit: "ms",
  rounds: 15,
  warmUp: 2,
  goals: [limitGoal("at most 500 ms", ours, 500, "ms")],
  prepare: async ({ say }) => {
    const { a, b } = makeSides();
    const { pairs, added, removed } = pairCases(a, b);
    const idsOf = (cases: readonly ReturnType<typeof pairs.at>["a"][]) => {
      const rows = cases.map((one) => one.rows()[0]!);
      const read = cases[0]?.side.read(rows);
      return rows.map((row) => read?.get(row)?.extra.id);
    };
    const [idsA, idsB] = [idsOf([...pairs].map((pair) => pair.a)), idsOf([...pairs].map((pair) => pair.b))];
    const wrong = idsA.filter((id, at) => id !== idsB[at]);
    if (wrong.length > 0 || pairs.length !== size * 0.9)
      throw new Error(`${wrong.length} of ${pairs.length} pairs are wrong`);
    say(`${pairs.length} pairs, all correct; ${added.length} added, ${removed.length} removed`);
    return {
      contenders: [
        { name: ours, sample: timed(() => compareRuns(a, b)) },
        { name: pairing, sample: timed(() => pairCases(a, b)) },
      ],
    };
  },
});

/** Names repeat (one in four is shared), inputs do not; `extra.id` is the true pairing, which compare does not read. */
function makeSides(): { a: ComparedRun[]; b: ComparedRun[] } {
  const random = seededRandom("eval-compare");
  const make = (id: number, name: string, isNew: boolean) =>
    madeResult({
      name,
      inputSha: `${"0".repeat(56)}${id.toString(16).padStart(8, "0")}`,
      status: random.fraction() < (isNew ? 0.88 : 0.9) ? "pass" : "fail",
      scores: { accuracy: Math.round(random.fraction() * 100) / 100 },
      durationMs: 300 + random.below(900),
      usage: [
        {
          model: "m",
          calls: 1,
          inputTokens: 900,
          outputTokens: 90,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          costUsd: 0.002 + random.fraction() / 500,
        },
      ],
      output: { response: `answer ${random.below(1000)}` },
      extra: { id },
    });
  const nameOf = (id: number) => `case ${id % 4 === 0 ? id % 500 : id}`;
  const before = Array.from({ length: size }, (_, id) => make(id, nameOf(id), false));
  const after = Array.from({ length: size }, (_, id) => id)
    .filter((id) => id % 10 !== 1)
    .map((id) => make(id, id % 10 === 2 ? `renamed ${nameOf(id)}` : nameOf(id), true));
  const inserted = Array.from({ length: size / 10 }, (_, i) => make(size + i, nameOf(i), true));
  const shuffled = [...after, ...inserted];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!];
  }
  return { a: [madeRun({ runId: "a", gitSha: "a" }, before)], b: [madeRun({ runId: "b", gitSha: "b" }, shuffled)] };
}

function timed(work: () => unknown) {
  return async () => {
    const started = Bun.nanoseconds();
    work();
    return [(Bun.nanoseconds() - started) / 1e6];
  };
}
