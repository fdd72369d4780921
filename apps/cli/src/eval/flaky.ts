/**
 * `devflow eval flaky`: cases that pass and fail while nothing changes, and the quarantined cases with owner and end date.
 */

import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { shortLine } from "@devflow/core/plain-text";
import {
  type FlakyCase,
  findFlaky,
  type Quarantine,
  readQuarantines,
  storedRows,
  withoutQuarantine,
  withQuarantine,
  writeQuarantines,
} from "@devflow/evals/compare";
import { type Paint, painter } from "../paint.ts";
import { textTable } from "../text-table.ts";
import { openCommits } from "./commits.ts";
import { ownLine } from "./own-line.ts";
import { caseHistory } from "./pick-runs.ts";
import { quarantinePath } from "./quarantine-path.ts";
import { sinceOf } from "./since.ts";
import type { evalFlakyRecord } from "./store-commands.ts";
import { allLines, given, withStore } from "./with-store.ts";
import { ago, bar, percent } from "./words.ts";

type FlakyInput = InputOf<typeof evalFlakyRecord>;

export const flaky: HandlerOf<typeof evalFlakyRecord> = async (input, context) => {
  const path = await quarantinePath(context);
  if (input.quarantine !== undefined) return addQuarantine(input.quarantine, path, input, context);
  if (input.release !== undefined) return release(input.release, path, input, context);
  const since = input.since === undefined ? undefined : sinceOf(input.since, Date.now());
  const found = await withStore(context, async (store) =>
    findFlaky(
      await storedRows(
        store,
        await ownLine(
          store,
          allLines(store, given({ suite: input.suite, tier: input.tier, branch: input.branch, since })),
          input,
          context,
        ),
      ),
    ),
  );
  const quarantines = await readQuarantines(path);
  context.output.result({ flaky: found, quarantines }, flakyText(found, quarantines, context));
};

async function addQuarantine(word: string, path: string, input: FlakyInput, context: CommandContext): Promise<void> {
  const commits = await openCommits(context);
  const owner = input.owner ?? (await commits?.userName());
  if (!owner) {
    const problem = "A quarantine needs an owner, who is responsible for the case until it ends.";
    throw new DevflowError("usage", { details: { problem, next: "Name the owner: --owner <name>" } });
  }
  const { name, suite } = await caseOf(word, input, context);
  const nowMs = Date.now();
  const one: Quarantine = {
    suite,
    name,
    owner,
    decidedAt: new Date(nowMs).toISOString(),
    expiresAt: new Date(nowMs + input.days * 86_400_000).toISOString(),
    ...(input.reason === undefined ? {} : { reason: input.reason }),
  };
  await writeQuarantines(path, withQuarantine(await readQuarantines(path), one));
  const text = `${shortLine(name, 80)} is in quarantine until ${one.expiresAt.slice(0, 10)}; owner: ${shortLine(owner, 60)}.\nRuns from now on are compared without it. Commit ${path}`;
  context.output.result({ quarantine: one, path }, text);
}

async function release(word: string, path: string, input: FlakyInput, context: CommandContext): Promise<void> {
  const all = await readQuarantines(path);
  const found = all.filter(({ name, suite }) => name === word && (!input.suite || suite === input.suite));
  if (found.length === 0) {
    const what = `A quarantine of "${word}"`;
    throw new DevflowError("not_found", { details: { what, next: "devflow eval flaky" } });
  }
  const left = found.reduce<readonly Quarantine[]>((list, one) => withoutQuarantine(list, one), all);
  await writeQuarantines(path, left);
  context.output.result({ released: found, path }, `${shortLine(word, 80)} counts again. Commit ${path}`);
}

async function caseOf(word: string, input: FlakyInput, context: CommandContext) {
  return withStore(context, (store) => {
    const { name = word, suite = "" } = caseHistory(store, word, input.suite, input.tier)[0] ?? {};
    return { name, suite };
  });
}

function flakyText(found: readonly FlakyCase[], quarantines: readonly Quarantine[], context: CommandContext): string {
  const paint = painter(context);
  const nowMs = Date.now();
  const narrow = context.output.columns < 100;
  const quarantined = (one: { suite: string; name: string }) =>
    quarantines.find(({ suite, name }) => suite === one.suite && name === one.name);
  // The table leaves out cases that may have disagreed only once; --json has them.
  const sure = found.filter(({ interval, suite, name }) => interval.low >= 0.02 || quarantined({ suite, name }));
  const rows = sure.map((one) => [
    shortLine(one.name, narrow ? 30 : 50),
    ...(narrow ? [] : [shortLine(one.suite, 20)]),
    bar(
      [
        { count: Math.round(one.rate * 100), colour: "yellow", mark: "▒" },
        { count: Math.round((1 - one.rate) * 100), colour: "dim", mark: "·" },
      ],
      10,
      paint,
    ),
    percent(one.rate),
    ...(narrow ? [] : [`${percent(one.interval.low)} – ${percent(one.interval.high)}`]),
    percent(one.passRate),
    quarantineWords(quarantined(one), nowMs, paint) || ago(one.lastMixedAt, nowMs),
  ]);
  const columns = (
    narrow ? ["CASE", "", "FLAKY", "PASSES", "LAST"] : ["CASE", "SUITE", "", "FLAKY", "95 %", "PASSES", "LAST"]
  ).map((title) => ({
    title,
    align: title === "FLAKY" || title === "PASSES" ? ("right" as const) : ("left" as const),
  }));
  const others = quarantines.filter(
    (one) => !found.some(({ suite, name }) => suite === one.suite && name === one.name),
  );
  const list = others.map(
    (one) => `  ${shortLine(one.name, 50)}  ${shortLine(one.suite, 20)}  ${quarantineWords(one, nowMs, paint)}`,
  );
  return [
    sure.length === 0
      ? "No flaky cases found. To detect them, run a suite several times on one commit."
      : `${textTable(columns, rows)}\n${paint("FLAKY: how often two results disagree while nothing changed", "dim")}`,
    ...(found.length > sure.length
      ? [paint(`${found.length - sure.length} more changed once or twice: --json`, "dim")]
      : []),
    ...(list.length > 0 ? ["", "In quarantine", ...list] : []),
  ].join("\n");
}

function quarantineWords(one: Quarantine | undefined, nowMs: number, paint: Paint): string {
  if (!one) return "";
  const isOver = Date.parse(one.expiresAt) <= nowMs;
  const words = `${shortLine(one.owner, 10)} ${isOver ? "expired" : "until"} ${one.expiresAt.slice(5, 10)}`;
  return paint(words, isOver ? "red" : "cyan");
}
