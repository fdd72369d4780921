import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { retroOf } from "@devflow/team/retro";
import { defineBenchmark, limitGoal } from "./benchmark.ts";

const ours = "retro of 30 days";
const bare = "git log --numstat of the same";
const commits = 10_000;

export default defineBenchmark({
  name: "retro",
  what: "A retro of 30 days of a repository with 10,000 commits in these days.",
  unit: "ms",
  rounds: 5,
  warmUp: 1,
  goals: [limitGoal("10,000 commits in at most 2 s", ours, 2_000, "ms")],
  prepare: async () => {
    const root = mkdtempSync(join(tmpdir(), "devflow-retro-"));
    const env = { PATH: process.env.PATH ?? "", HOME: root };
    execFileSync("git", ["init", "-q", "-b", "main", root], { env });
    execFileSync("git", ["fast-import", "--quiet"], { cwd: root, env, input: history(Date.now()), maxBuffer: 1e9 });
    const timed = (work: () => Promise<unknown>) => async () => {
      const started = Bun.nanoseconds();
      await work();
      return [(Bun.nanoseconds() - started) / 1e6];
    };
    const log = ["log", "-z", "--numstat", "-M", "--since=30 days ago"];
    return {
      contenders: [
        { name: ours, sample: timed(() => retroOf({ root, env }, { days: 30, untilMs: Date.now(), name: "bench" })) },
        { name: bare, sample: timed(async () => execFileSync("git", log, { cwd: root, env, maxBuffer: 1e9 })) },
      ],
      finish: async () => rmSync(root, { recursive: true, force: true }),
    };
  },
});

/** Each commit changes three of 300 files. */
function history(nowMs: number): string {
  const stepS = (29 * 86_400) / commits;
  const parts: string[] = [];
  for (let n = 0; n < commits; n += 1) {
    const at = Math.floor(nowMs / 1000 - (commits - n) * stepS);
    const author = `Person ${n % 8} <p${n % 8}@example.org> ${at} +0100`;
    const message = `feat: change ${n}\n\nCo-Authored-By: Claude <noreply@anthropic.com>\n`;
    parts.push(`commit refs/heads/main\nauthor ${author}\ncommitter ${author}\ndata ${message.length}\n${message}`);
    for (const file of [n % 300, (n * 7) % 300, (n * 13) % 300]) {
      const content = `${Array.from({ length: 20 }, (_, line) => `line ${line} of ${n - (line % 3)}`).join("\n")}\n`;
      parts.push(`M 100644 inline src/part${file % 12}/file${file}.ts\ndata ${content.length}\n${content}`);
    }
  }
  return `${parts.join("")}\ndone\n`;
}
