/**
 * What runs on Temporal were seen to survive, as a part of docs/reliability.md. Pure.
 *
 * - `fleetTable(tests, commit)` the part: of `<path> > <what is killed>` a table, of everything else a list.
 */
import type { SeenTest } from "./agent-table.ts";
import { headings } from "./page-part.ts";

const signs = { passed: "✓", failed: "**✗**", skipped: "–" } as const;
const killing = /^the (.+) path on Temporal > (.+)$/;

export function fleetTable(tests: readonly SeenTest[], commit: string): string {
  const kills = tests.flatMap(({ name, outcome }) => {
    const [, path, killed] = killing.exec(name) ?? [];
    return path && killed ? [{ path, killed, outcome }] : [];
  });
  const others = tests.filter(({ name }) => !killing.test(name));
  const paths = [...new Set(kills.map(({ path }) => path))];
  const row = (words: readonly string[]) => `| ${words.join(" | ")} |`;
  const cell = (path: string, killed: string) => {
    const found = kills.find((one) => one.path === path && one.killed === killed);
    return found ? signs[found.outcome] : "";
  };
  const passed = tests.filter(({ outcome }) => outcome === "passed").length;
  return [
    headings.fleet,
    "The same paths on Temporal. Each run ends with the same events as an undisturbed one of the inline engine, no prompt is in an",
    "agent's journal twice, and `devflow run verify` passes.",
    "",
    row(["killed (kill -9)", ...paths]),
    row(["---", ...paths.map(() => ":---:")]),
    ...[...new Set(kills.map(({ killed }) => killed))].map((killed) =>
      row([killed, ...paths.map((path) => cell(path, killed))]),
    ),
    "",
    ...others.map(({ name, outcome }) => `- ${name} ${signs[outcome]}`),
    "",
    `${passed} of ${tests.length} at commit ${commit}.`,
    "",
  ].join("\n");
}
