/** `devflow ship list`. */
import type { HandlerOf } from "@devflow/core/command";
import { shortLine } from "@devflow/core/plain-text";
import { duration } from "../data/amounts.ts";
import { textTable } from "../text-table.ts";
import type { shipListRecord } from "./commands.ts";
import { knownShips } from "./known-ships.ts";

export const shipList: HandlerOf<typeof shipListRecord> = async ({ limit }, context) => {
  const { ships } = await knownShips(context);
  const shown = ships.slice(0, limit);
  const nowMs = Date.now();
  const rows = shown.map((one) => [
    shortLine(one.version, 40),
    shortLine(one.branch, 40),
    one.commits === null ? "—" : String(one.commits),
    shortLine(one.by ?? "you", 30),
    `${duration(Math.max(0, nowMs - Date.parse(one.at)))} ago`,
  ]);
  const columns = ["VERSION", "BRANCH", "COMMITS", "WHO", "WHEN"].map((title) => ({ title }));
  context.output.result(
    shown,
    rows.length === 0
      ? "Nothing was shipped from this repository yet. Record a ship: devflow ship log"
      : textTable(columns, rows),
  );
};
