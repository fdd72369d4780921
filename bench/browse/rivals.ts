/**
 * The peers of the browse benchmarks, pinned, installed on demand into `.cache/bench`.
 *
 * - `findRivals(context)` their folder, or undefined after printing why they are not measured here.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchmarkContext } from "../benchmark.ts";

const rivalVersions = {
  "agent-browser": "0.41.0",
  "@playwright/cli": "0.1.22",
  "chrome-devtools-mcp": "1.11.0",
} as const;

export function findRivals({ cache, say }: BenchmarkContext): string | undefined {
  const wanted = Object.entries(rivalVersions).map(([name, version]) => `${name}@${version}`);
  const folder = join(cache, `browse-rivals-${Object.values(rivalVersions).join("-")}`);
  const modules = join(folder, "node_modules");
  const isWhole = () => Object.keys(rivalVersions).every((name) => existsSync(join(modules, name, "package.json")));
  if (!isWhole()) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"private":true}');
    say(`installing ${wanted.join(", ")}`);
    // Their install scripts would fetch their own browsers; all use the installed one.
    const words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...wanted];
    const { exitCode, stderr } = Bun.spawnSync(["npm", ...words], { cwd: folder, stdout: "ignore", stderr: "pipe" });
    if (exitCode !== 0 || !isWhole()) {
      say(
        `peers are not measured, because they cannot be installed here (${stderr.toString().trim().split("\n").at(-1)})`,
      );
      return undefined;
    }
  }
  return modules;
}
