/** `devflow sync show`: the team cache, without a network. */
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { nearest } from "@devflow/core/nearest";
import { shortLine } from "@devflow/core/plain-text";
import type { RecordRow } from "@devflow/protocol";
import { cacheFolder, pulledKinds, readMeta, readRows } from "@devflow/team/cache";
import { duration } from "../data/amounts.ts";
import { textTable } from "../text-table.ts";
import type { syncShowRecord } from "./commands.ts";
import { requirePlace } from "./place.ts";

export const syncShow: HandlerOf<typeof syncShowRecord> = async ({ kind, limit }, context) => {
  const home = homeAt(context.config().home);
  if (kind !== undefined && !(pulledKinds as readonly string[]).includes(kind)) {
    const close = nearest(kind, pulledKinds);
    throw new DevflowError("usage", {
      details: {
        problem: `There is no kind "${kind}" in the cache.`,
        next: close ? `Did you mean ${close}?` : `Kinds: ${pulledKinds.join(", ")}`,
      },
    });
  }
  const { to, repo, team } = await requirePlace(context);
  const folder = cacheFolder(home.root, { ...to, repo });
  const meta = await readMeta(folder);
  const kinds = kind === undefined ? pulledKinds : [kind];
  const all = (await Promise.all(kinds.map((one) => readRows(folder, one)))).flat();
  const rows = all.sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, limit);
  const nowMs = Date.now();
  const table = textTable(
    ["KIND", "WHAT", "WHO", "WHEN"].map((title) => ({ title })),
    rows.map((row) => [
      row.kind,
      shortLine(whatOf(row), 60),
      shortLine(row.user_name ?? "", 30),
      `${duration(nowMs - Date.parse(row.at))} ago`,
    ]),
  );
  const nothing = meta
    ? `No such records of ${team.name} for this repository.`
    : "The cache is empty. Fill it: devflow sync pull";
  context.output.result({ pulledAt: meta?.pulledAt ?? null, rows }, rows.length === 0 ? nothing : table);
};

/** The most telling members of a payload. */
function whatOf({ kind, payload }: RecordRow): string {
  const of = (path: string): string => {
    let value: unknown = payload;
    for (const step of path.split(".")) value = (value as Record<string, unknown> | null)?.[step];
    return value === undefined || value === null ? "" : String(value);
  };
  switch (kind) {
    case "eval_run":
      return `${of("run.suite")}: ${of("run.totals.passed")} of ${of("run.totals.total")} passed`;
    case "retro_snapshot":
      return `${of("date")}, ${of("window")}`;
    case "review_triage":
      return `${of("outcome")}: ${of("category")} in ${of("file_pattern")}`;
    case "qa_report":
      return `${of("url")}${of("health_score") && `, health ${of("health_score")}`}`;
    case "ship_log":
      return `${of("version")} from ${of("branch")}`;
    case "run_progress":
      return `${of("title")}: ${of("state")}`;
    case "approval_request":
      return `${of("gate")}: ${of("state")}`;
    case "verdict":
      return of("action");
    case "decision":
      return `${of("title")}: ${of("state")}`;
    case "decision_event":
      return `${of("event")}${of("text") && `: ${of("text")}`}`;
    default:
      return of("outcome");
  }
}
