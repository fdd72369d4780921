/**
 * Records promptfoo's own verdicts, or compares them with the recorded ones.
 *
 * - `theirAssertionVerdicts(promptfoo, vectors)`, `theirSuiteVerdicts(promptfoo, name)` run it.
 * - `verdictsFile(name)` where the recorded ones are.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AssertionVector } from "./assertion-vectors.ts";
import type { Verdict } from "./our-verdicts.ts";
import { inOrder, type SuiteVerdict, suiteFolder, verdictOf } from "./suite-verdicts.ts";

/** An installed promptfoo: its folder, and the Node that runs it. */
export interface InstalledPromptfoo {
  readonly folder: string;
  readonly node: string;
}

const here = fileURLToPath(new URL(".", import.meta.url));
export const verdictsFile = (name: "assertions" | "suites"): string => join(here, `recorded-${name}.json`);

function run(
  promptfoo: InstalledPromptfoo,
  words: readonly string[],
  options: { cwd: string; input?: string },
): string {
  const home = mkdtempSync(join(tmpdir(), "promptfoo-home-"));
  try {
    const env = {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, PROMPTFOO_CONFIG_DIR: home, PROMPTFOO_PYTHON: "python3" },
      ...{ PROMPTFOO_DISABLE_TELEMETRY: "1", PROMPTFOO_DISABLE_UPDATE: "1", PROMPTFOO_DISABLE_REMOTE_GENERATION: "1" },
    };
    const result = spawnSync(promptfoo.node, words, { ...options, env, encoding: "utf8", maxBuffer: 1024 ** 3 });
    // It exits with 100 when a test fails.
    if (result.status !== 0 && result.status !== 100)
      throw new Error(`promptfoo failed: ${result.stderr || result.stdout}`);
    return result.stdout;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

export function theirAssertionVerdicts(promptfoo: InstalledPromptfoo, vectors: readonly AssertionVector[]): Verdict[] {
  const words = [join(here, "run-promptfoo-assertions.mjs"), join(promptfoo.folder, "dist/src/index.js")];
  const text = run(promptfoo, words, { cwd: here, input: JSON.stringify(vectors) });
  return JSON.parse(text.slice(text.lastIndexOf("\n@@") + 3)) as Verdict[];
}

export function theirSuiteVerdicts(promptfoo: InstalledPromptfoo, name: string): SuiteVerdict[] {
  const folder = mkdtempSync(join(tmpdir(), "promptfoo-out-"));
  try {
    const out = join(folder, "out.json");
    const words = [join(promptfoo.folder, "dist/src/main.js"), "eval", "-c", "promptfooconfig.yaml", "-o", out];
    run(promptfoo, [...words, "--no-cache", "--no-table", "--no-progress-bar"], { cwd: suiteFolder(name) });
    const { results } = JSON.parse(readFileSync(out, "utf8")) as {
      results: { results: Parameters<typeof verdictOf>[0][] };
    };
    return inOrder(results.results.map(verdictOf));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
