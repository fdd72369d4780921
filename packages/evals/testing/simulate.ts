/**
 * `bun packages/evals/testing/simulate.ts` computes the tables of docs/evals-statistics.md at full size: false alarms of the
 * verdict on identical distributions, the power of the exact test, and the sequential test under peeking. Seeded, so the
 * numbers are reproducible. `simulate.ts 1 peeking` computes one table.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { simulatedPower } from "../src/statistics/power.ts";
import { simulatePeeking } from "./simulated-peeking.ts";
import { type SimulationPlan, simulateVerdicts } from "./simulated-verdicts.ts";

const document = fileURLToPath(new URL("../../../docs/evals-statistics.md", import.meta.url));
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

function falseAlarms(): string {
  const rows: string[] = [];
  const shapes = [5, 20, 100, 1000].flatMap((cases) =>
    [
      [1, 1],
      [3, 3],
      [5, 5],
      [10, 1],
    ].map(([repeatsA, repeatsB]) => ({ cases, repeatsA: repeatsA!, repeatsB: repeatsB! })),
  );
  for (const shape of shapes) {
    const cells = (["mixed", "flaky", "scores"] as const).map((kind) => {
      const plan: SimulationPlan = { kind, ...shape, trials: trialsFor(kind, shape.cases) };
      const { rate, trials } = simulateVerdicts(plan);
      console.log(`${kind} ${shape.cases} cases ${shape.repeatsA} : ${shape.repeatsB}  ${percent(rate)} of ${trials}`);
      return `${percent(rate)} of ${trials}`;
    });
    rows.push(`| ${shape.cases} | ${shape.repeatsA} : ${shape.repeatsB} | ${cells.join(" | ")} |`);
  }
  const head = "| cases | runs old : new | mixed | flaky | mixed with a gating score |\n|---|---|---|---|---|";
  return `${head}\n${rows.join("\n")}`;
}

/** Larger suites take longer; three standard errors are 1.5 points at 2,000 trials and 3.3 at 400. */
function trialsFor(kind: SimulationPlan["kind"], cases: number): number {
  const scale = Number(process.argv[2] ?? 1);
  const full = cases <= 20 ? 4000 : cases <= 100 ? 2000 : 400;
  return Math.max(20, Math.round((kind === "scores" ? Math.min(full, cases <= 100 ? 500 : 200) : full) * scale));
}

function powerCurve(): string {
  const drops = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3];
  const rows = [20, 50, 100, 300].flatMap((cases) =>
    [1, 3, 5, 10].map((runs) => {
      const cells = drops.map((drop) =>
        percent(simulatedPower({ cases, runsA: runs, runsB: runs, passRate: 0.9, drop, trials: 500 })),
      );
      console.log(`power ${cases} cases ${runs} runs  ${cells.join("  ")}`);
      return `| ${cases} | ${runs} | ${cells.join(" | ")} |`;
    }),
  );
  const head = `| cases | runs per side | ${drops.map((drop) => `−${Math.round(drop * 100)} points`).join(" | ")} |`;
  return `${head}\n|${"---|".repeat(drops.length + 2)}\n${rows.join("\n")}`;
}

function place(text: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [before, rest] = text.split(start);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${document} has no place for "${name}"`);
  return `${before}${start}\n${table}\n${end}${after}`;
}

function peeking(): string {
  const rows = (["mixed", "flaky"] as const).flatMap((kind) =>
    [5, 20, 100].map((cases) => {
      const trials = Math.max(20, Math.round(2000 * Number(process.argv[2] ?? 1)));
      const { sequential, everSmall, fixed } = simulatePeeking({ kind, cases, looks: 20, trials });
      const cells = [sequential, everSmall, fixed].map(percent);
      console.log(`peeking ${kind} ${cases} cases  ${cells.join("  ")}`);
      return `| ${kind} | ${cases} | ${cells.join(" | ")} |`;
    }),
  );
  const head = "| kind | cases | sequential: false verdict | sequential: p ever ≤ .05 | fixed test: false verdict |";
  return `${head}\n|---|---|---|---|---|\n${rows.join("\n")}`;
}

function stopping(): string {
  const rows = [0, 0.05, 0.1, 0.2, 0.3].map((drop) => {
    const trials = Math.max(20, Math.round(1000 * Number(process.argv[2] ?? 1)));
    const plan = { kind: "mixed" as const, cases: 100, looks: 20, trials, drop };
    const { sequential, decided, results } = simulatePeeking(plan);
    const size = drop === 0 ? "none" : `−${Math.round(drop * 100)} points`;
    console.log(`stopping ${size}  ${percent(sequential)}  ${percent(decided)}  ${Math.round(results)}`);
    return `| ${size} | ${percent(sequential)} | ${percent(decided - sequential)} | ${Math.round(results)} of 2,000 |`;
  });
  const head = "| true change | regression or improvement | no evidence | results per variant until decided |";
  return `${head}\n|---|---|---|---|\n${rows.join("\n")}`;
}

const tables: Readonly<Record<string, () => string>> = {
  power: powerCurve,
  "false alarms": falseAlarms,
  peeking,
  stopping,
};
const wanted = process.argv.slice(3);
for (const [name, make] of Object.entries(tables)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  writeFileSync(document, place(readFileSync(document, "utf8"), name, make()));
}
