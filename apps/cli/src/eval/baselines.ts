/**
 * `devflow eval baselines` prints a suite's baseline; `devflow eval bless` writes it to the repository.
 */

import { readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { HandlerOf } from "@devflow/core/command";
import { plainLine, plainText } from "@devflow/core/plain-text";
import { type Baseline, baselineChanges, baselineFor, bless, parseBaseline, renderBaseline } from "@devflow/evals";
import { painter } from "../paint.ts";
import type { evalBaselinesRecord, evalBlessRecord } from "./check-commands.ts";
import { openCommits } from "./commits.ts";
import { pickSuite, suitesOf } from "./pick-suite.ts";
import { given, withStore } from "./with-store.ts";
import { plural } from "./words.ts";

export const baselines: HandlerOf<typeof evalBaselinesRecord> = async ({ suite, date, branch }, context) => {
  const all = await withStore(context, async (store) => {
    const suites = suite === undefined && suitesOf(store).length > 0 ? suitesOf(store) : [pickSuite(store, suite)];
    const found: Baseline[] = [];
    for (const one of suites) {
      const made = await baselineFor(store, one, given({ date, branch })).catch((error: unknown) => {
        // With several suites, one without a run that early is not an error.
        if (suites.length > 1 && (error as { code?: string }).code === "not_found") return undefined;
        throw error;
      });
      if (made) found.push(made);
    }
    return found;
  });
  context.output.result(all, plainText(all.map(renderBaseline).join("\n")));
};

export const blessBaseline: HandlerOf<typeof evalBlessRecord> = async ({ suite, date, branch, folder }, context) => {
  const root = (await openCommits(context))?.root ?? context.cwd;
  const target = folder === undefined ? join(root, "evals", "baselines") : resolve(context.cwd, folder);
  const paint = painter(context);
  const written = await withStore(context, async (store) => {
    const suites = suite === undefined && suitesOf(store).length > 0 ? suitesOf(store) : [pickSuite(store, suite)];
    const files = [];
    for (const one of suites) {
      const before = await readFile(join(target, `${encodeURIComponent(one)}.md`), "utf8").catch(() => undefined);
      const { path, baseline } = await bless(store, target, one, given({ date, branch }));
      const changes = baselineChanges(before === undefined ? undefined : parseBaseline(before), baseline);
      files.push({
        suite: one,
        path,
        cases: baseline.cases.length,
        tiers: baseline.tiers.map(({ tier }) => tier),
        ...changes,
        isNew: before === undefined,
      });
    }
    return files;
  });
  const lines = written.flatMap(({ suite: name, path, cases, tiers, isNew, worse, better, added, removed }) => [
    `${paint(plainLine(name), "bold")}  ${plural(cases, "case")} at ${tiers.join(", ")}  ${relative(context.cwd, path) || path}`,
    ...(isNew ? ["  new"] : []),
    ...worse.slice(0, 20).map((one) => `  ${paint("worse ", "red")}  ${changeWords(one)}`),
    ...(worse.length > 20 ? [`  and ${worse.length - 20} more that are worse`] : []),
    ...better.slice(0, 20).map((one) => `  ${paint("better", "green")}  ${changeWords(one)}`),
    ...(better.length > 20 ? [`  and ${better.length - 20} more that are better`] : []),
    ...(!isNew && added.length > 0 ? [`  ${paint("added ", "dim")}  ${some(added)}`] : []),
    ...(removed.length > 0 ? [`  ${paint("gone  ", "dim")}  ${some(removed)}`] : []),
    ...(!isNew && worse.length + better.length + added.length + removed.length === 0 ? ["  unchanged"] : []),
  ]);
  const isSafe = written.every(({ path }) => !relative(root, path).startsWith(".."));
  const next = isSafe ? `Commit it: git add ${relative(context.cwd, target) || "."} && git commit` : "";
  context.output.result(written, [...lines, ...(next ? [next] : [])].join("\n"));
};

function changeWords({ name, tier, before, now }: { name: string; tier: string; before: string; now: string }): string {
  return `${plainLine(name)}  ${tier}  ${before} → ${now}`;
}

const some = (names: readonly string[]): string =>
  `${names.slice(0, 5).map(plainLine).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;
