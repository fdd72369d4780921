/**
 * The checks of `scripts/check.ts` (lint, types, boundaries, fresh files, docs), each counted like a test.
 *
 * - `runChecks({ root, bun, onCheck })` every check with its name, whether it passed, and its output.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startGroup } from "./process-group.mjs";

const script = "scripts/check.ts";

/**
 * @typedef {{ name: string, ok: boolean, detail: string, ms: number }} CheckResult
 * @param {{ root: string, bun: string, onCheck(check: CheckResult): void }} options
 * @returns {Promise<CheckResult[]>}
 */
export async function runChecks({ root, bun, onCheck }) {
  if (!existsSync(join(root, script))) return [];
  const started = Date.now();
  const group = startGroup(bun, [script, "--json"], { cwd: root, env: { ...process.env, NO_COLOR: "1" } });
  /** @type {CheckResult[]} */
  const checks = [];
  let pending = "";
  group.child.stdout?.on("data", (/** @type {Buffer} */ chunk) => {
    const lines = (pending + chunk).split("\n");
    pending = lines.pop() ?? "";
    for (const check of lines.flatMap(readCheck)) {
      checks.push(check);
      onCheck(check);
    }
  });
  const code = await group.ended;
  const agrees = checks.length > 0 && (code === 0) === checks.every(({ ok }) => ok);
  if (agrees) return checks;
  // It broke before or besides its checks: that is a separate failure, reported in full.
  const broken = { name: script, ok: false, detail: `exit code ${code ?? "none"}\n${group.output()}` };
  const result = { ...broken, ms: Date.now() - started };
  onCheck(result);
  return [...checks, result];
}

/** @param {string} line @returns {CheckResult[]} */
function readCheck(line) {
  try {
    const value = JSON.parse(line);
    if (typeof value?.name !== "string" || typeof value.ok !== "boolean") return [];
    return [{ name: value.name, ok: value.ok, detail: String(value.detail ?? ""), ms: Number(value.ms ?? 0) }];
  } catch {
    return [];
  }
}
