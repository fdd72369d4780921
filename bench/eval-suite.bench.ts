import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshExecutable } from "../scripts/build/executable.ts";
import { defineBenchmark, ratioGoal } from "./benchmark.ts";
import { findPromptfoo } from "./promptfoo.ts";

const ours = "devflow eval check";
const peer = "promptfoo eval";
const inMemory = (name: string) => `${name}: peak memory in MB`;
const tests = 1_000;

export default defineBenchmark({
  name: "eval-suite",
  what: `A promptfoo suite of ${tests} tests with two assertions each (echo provider), run from start to exit.`,
  unit: "ms",
  // Few: the peer takes up to a minute on a busy machine.
  rounds: 3,
  warmUp: 0,
  goals: [
    ratioGoal("at most 1/5 of promptfoo's time", ours, peer, 0.2),
    ratioGoal("at most 1/5 of promptfoo's memory", inMemory(ours), inMemory(peer), 0.2),
  ],
  prepare: async (context) => {
    const devflow = await freshExecutable(context.root);
    const folder = mkdtempSync(join(tmpdir(), "df-bench-"));
    const file = join(folder, "promptfooconfig.yaml");
    writeFileSync(file, suite());
    const promptfoo = findPromptfoo(context);
    const peaks = new Map<string, number>();
    const run = (name: string, argv: string[], env: Record<string, string>) => {
      const started = Bun.nanoseconds();
      const ended = Bun.spawnSync(argv, { cwd: folder, env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
      const ms = (Bun.nanoseconds() - started) / 1e6;
      if (ended.exitCode !== 0) throw new Error(`${argv.join(" ")} ended with ${ended.exitCode}: ${ended.stderr}`);
      peaks.set(name, (ended.resourceUsage?.maxRSS ?? 0) / 1024 / 1024);
      return ms;
    };
    const fresh = <T>(work: (home: string) => T): T => {
      const home = mkdtempSync(join(folder, "home-"));
      try {
        return work(home);
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    };
    const once = (name: string) => async () => [
      fresh((home) => {
        if (name === ours)
          return run(ours, [devflow, "eval", "check", file], { PATH: process.env.PATH ?? "", HOME: home });
        const words = [
          "eval",
          "-c",
          file,
          "-o",
          join(home, "out.json"),
          "--no-cache",
          "--no-table",
          "--no-progress-bar",
        ];
        const command = promptfoo?.command(home, ...words);
        return run(peer, command?.argv ?? [], command?.env ?? {});
      }),
    ];
    const peak = (name: string) => ({ name: inMemory(name), sample: async () => [peaks.get(name) ?? 0] });
    return {
      contenders: [
        { name: ours, sample: once(ours) },
        peak(ours),
        ...(promptfoo ? [{ name: peer, sample: once(peer) }, peak(peer)] : []),
      ],
      finish: async () => rmSync(folder, { recursive: true }),
    };
  },
});

function suite(): string {
  const one = (index: number) =>
    `  - vars: { name: person ${index} }\n    assert: [{ type: contains, value: person ${index} }, { type: regex, value: "^Hello" }]`;
  const listed = Array.from({ length: tests }, (_, index) => one(index));
  return ["description: bench", "prompts: ['Hello {{name}}']", "providers: [echo]", "tests:", ...listed].join("\n");
}
