/**
 * The tests that a change can break, for `npm test -- --changed`.
 *
 * - `chooseChanged({ root, bun, base })` the test files with their distance to the change, and one line about what was
 *   chosen and why; throws `UsageProblem` for a base that does not exist.
 */
import { fileURLToPath } from "node:url";
import { UsageProblem } from "./arguments.mjs";
import { startGroup } from "./process-group.mjs";

const script = fileURLToPath(new URL("./changed.ts", import.meta.url));

/**
 * @param {{ root: string, bun: string, base: string | undefined }} options
 * @returns {Promise<{ files: string[], distances: Map<string, number>, line: string }>}
 */
export async function chooseChanged({ root, bun, base }) {
  const words = base === undefined ? [script, root] : [script, root, base];
  const group = startGroup(bun, words, { cwd: root, env: process.env });
  let printed = "";
  group.child.stdout?.on("data", (/** @type {Buffer} */ chunk) => {
    printed += chunk;
  });
  const code = await group.ended;
  if (code === 64) throw new UsageProblem(group.output().trim());
  if (code !== 0) throw new Error(`the changed tests could not be found:\n${group.output()}`);
  /** @type {import("./changed.ts").ChosenTests} */
  const chosen = JSON.parse(printed);
  const distances = new Map(chosen.tests.map(({ file, distance }) => [file, distance]));
  return { files: chosen.tests.map(({ file }) => file), distances, line: lineOf(chosen) };
}

/** @param {import("./changed.ts").ChosenTests} chosen */
function lineOf({ base, commit, changed, origins, tests }) {
  const since = `since ${base} (${commit.slice(0, 8)})`;
  if (changed.length === 0) return `Nothing has changed ${since}: there is no test to run.`;
  if (tests.length === 0) return `No test depends on what changed ${since}: ${listed(changed)}.`;
  const own = tests.filter(({ distance }) => distance === 0).map(({ file }) => file);
  const others = tests.filter(({ distance }) => distance > 0);
  const places = [...new Set(others.map(({ file }) => file.split("/").slice(0, 2).join("/")))];
  const first = `${own.length} of its own test files`;
  const then =
    others.length > 0
      ? `, then ${others.length} that ${others.length === 1 ? "depends" : "depend"} on it: ${listed(places)}`
      : "";
  return `Changed ${since}: ${listed(origins)}. Running ${first}${then}.`;
}

/** @param {readonly string[]} names */
function listed(names) {
  const shown = names.slice(0, 6);
  return names.length > shown.length ? `${shown.join(", ")} and ${names.length - shown.length} more` : shown.join(", ");
}
