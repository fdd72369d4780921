/**
 * The peer of the eval benchmarks: promptfoo, pinned, installed on demand into `.cache/bench`.
 *
 * - `findPromptfoo(context)` its executable, or undefined after printing why it is not measured here.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchmarkContext } from "./benchmark.ts";

const version = "0.123.1";

export interface Promptfoo {
  command(home: string, ...words: string[]): { readonly argv: string[]; readonly env: Record<string, string> };
}

export function findPromptfoo({ cache, say }: BenchmarkContext): Promptfoo | undefined {
  const folder = join(cache, `promptfoo-${version}`);
  const program = join(folder, "node_modules/promptfoo/dist/src/main.js");
  const node = join(folder, "node_modules/node/bin/node");
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"private":true}');
    say(`installing promptfoo ${version} (about 2 GB)`);
    // It needs a newer Node than Devflow does, so that is installed too.
    const words = ["install", "--no-audit", "--no-fund", `promptfoo@${version}`, "node@22.23.3"];
    const { exitCode, stderr } = Bun.spawnSync(["npm", ...words], { cwd: folder, stdout: "ignore", stderr: "pipe" });
    if (exitCode !== 0 || !existsSync(program)) {
      say(
        `promptfoo is not measured, because it cannot be installed here (${stderr.toString().trim().split("\n").at(-1)})`,
      );
      return undefined;
    }
  }
  const command: Promptfoo["command"] = (home, ...words) => ({
    argv: [existsSync(node) ? node : "node", program, ...words],
    env: {
      PATH: process.env.PATH ?? "",
      HOME: home,
      PROMPTFOO_CONFIG_DIR: home,
      PROMPTFOO_DISABLE_TELEMETRY: "1",
      PROMPTFOO_DISABLE_UPDATE: "1",
      PROMPTFOO_DISABLE_REMOTE_GENERATION: "1",
    },
  });
  const { argv, env } = command(folder, "--version");
  const { exitCode, stdout, stderr } = Bun.spawnSync(argv, { env, stdout: "pipe", stderr: "pipe" });
  if (exitCode === 0 && stdout.toString().trim() === version) return { command };
  say(`promptfoo is not measured, because it does not start here (${stderr.toString().trim().split("\n")[0]})`);
  return undefined;
}
