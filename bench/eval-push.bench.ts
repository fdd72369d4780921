import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineBenchmark, limitGoal } from "./benchmark.ts";
import { writeDevflowResults, writePromptfooResults } from "./eval-data.ts";
import { findPromptfoo } from "./promptfoo.ts";

const ours = "devflow: read and store";
const memory = "devflow: peak memory in MB";
const program = join(import.meta.dir, "eval-push-once.ts");

export default defineBenchmark({
  name: "eval-push",
  what: "A file of 10,000 eval results read, checked, priced, stored and indexed in a separate process.",
  unit: "ms",
  // Few: the peer takes up to a minute on a busy machine.
  rounds: 3,
  warmUp: 0,
  goals: [limitGoal("at most 1.5 s", ours, 1500, "ms"), limitGoal("at most 200 MB of memory", memory, 200, "MB")],
  prepare: async (context) => {
    const folder = mkdtempSync(join(tmpdir(), "df-bench-"));
    const file = join(folder, "results.json");
    writeDevflowResults(file, 10_000);
    const peaks: number[] = [];
    const peer = findPromptfoo(context);
    const peerFile = join(folder, "promptfoo.json");
    if (peer) writePromptfooResults(peerFile, 10_000);
    return {
      contenders: [
        {
          name: ours,
          sample: async () => {
            const home = mkdtempSync(join(folder, "home-"));
            const { ms, stdout } = timed([process.execPath, program, home, file], { PATH: process.env.PATH ?? "" });
            peaks.push(Number(stdout));
            rmSync(home, { recursive: true });
            return [ms];
          },
        },
        { name: memory, sample: async () => (peaks.length > 0 ? [peaks.at(-1) ?? 0] : []) },
        ...(peer
          ? [
              {
                name: "promptfoo import",
                sample: async () => {
                  const home = mkdtempSync(join(folder, "peer-"));
                  const { argv, env } = peer.command(home, "import", peerFile);
                  const { ms } = timed(argv, env);
                  rmSync(home, { recursive: true });
                  return [ms];
                },
              },
            ]
          : []),
      ],
      finish: async () => rmSync(folder, { recursive: true }),
    };
  },
});

function timed(argv: string[], env: Record<string, string>): { readonly ms: number; readonly stdout: string } {
  const started = Bun.nanoseconds();
  const ended = Bun.spawnSync(argv, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const ms = (Bun.nanoseconds() - started) / 1e6;
  if (ended.exitCode !== 0) throw new Error(`${argv.join(" ")} ended with ${ended.exitCode}: ${ended.stderr}`);
  return { ms, stdout: ended.stdout.toString() };
}
