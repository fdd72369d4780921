import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineBenchmark, limitGoal } from "./benchmark.ts";

const ours = "devflow: read and store 1 GB";
const memory = "devflow: peak memory in MB";
const program = join(import.meta.dir, "eval-push-once.ts");

export default defineBenchmark({
  name: "eval-large",
  what: "A result file of 1 GB (100,000 results of 10 kB) read, checked, stored and indexed in a separate process.",
  unit: "ms",
  rounds: 1,
  warmUp: 0,
  goals: [limitGoal("less than 300 MB of memory", memory, 300, "MB")],
  prepare: async ({ say }) => {
    const folder = mkdtempSync(join(tmpdir(), "df-bench-"));
    const path = join(folder, "large.json");
    writeLarge(path, 100_000);
    say(`${Math.round(statSync(path).size / 1e6)} MB written`);
    let peak = 0;
    return {
      contenders: [
        {
          name: ours,
          sample: async () => {
            const home = mkdtempSync(join(folder, "home-"));
            const started = Bun.nanoseconds();
            const ended = Bun.spawnSync([process.execPath, program, home, path], { stdout: "pipe", stderr: "pipe" });
            const ms = (Bun.nanoseconds() - started) / 1e6;
            if (ended.exitCode !== 0) throw new Error(ended.stderr.toString());
            peak = Number(ended.stdout.toString());
            rmSync(home, { recursive: true });
            return [ms];
          },
        },
        { name: memory, sample: async () => (peak > 0 ? [peak] : []) },
      ],
      finish: async () => rmSync(folder, { recursive: true }),
    };
  },
});

function writeLarge(path: string, count: number): void {
  const file = openSync(path, "w");
  writeSync(file, '{"suite":"large","all_results":[');
  for (let at = 0; at < count; at++) {
    const response = `${at} `.repeat(5000).slice(0, 9900);
    const record = { name: `case ${at}`, passed: at % 9 !== 0, output: { response }, judge_scores: { accuracy: 0.5 } };
    writeSync(file, `${at > 0 ? "," : ""}${JSON.stringify(record)}`);
  }
  writeSync(file, `],"total":${count}}`);
  closeSync(file);
}
