/** `devflow sync dead list | retry | drop`: records that the server refused or cannot take yet. */
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { plainLine, shortLine } from "@devflow/core/plain-text";
import { dropRecord, type HeldRecord, heldBack, retryRecord } from "@devflow/team/drain";
import { type SpoolFolder, spoolFolder } from "@devflow/team/spool";
import { counted, duration } from "../data/amounts.ts";
import { textTable } from "../text-table.ts";
import type { syncDeadDropRecord, syncDeadListRecord, syncDeadRetryRecord } from "./commands.ts";
import { wakeDrainer } from "./drain-ports.ts";

export const deadList: HandlerOf<typeof syncDeadListRecord> = async (_input, { config, output }) => {
  const held = await heldBack(spoolFolder(config().home));
  const nowMs = Date.now();
  const rows = held.map(({ id, folder, record, reason, writtenMs }) => [
    id,
    record?.kind ?? "unreadable",
    folder === "dead" ? "refused" : "held back",
    shortLine(wordsOf(reason), 80),
    `${duration(nowMs - writtenMs)} ago`,
  ]);
  const table = textTable(
    ["RECORD", "KIND", "STATE", "WHY", "WRITTEN"].map((title) => ({ title })),
    rows.map((row) => row.map(plainLine)),
  );
  output.result(
    held.map(({ id, folder, record, reason }) => ({
      id,
      kind: record?.kind ?? null,
      state: folder === "dead" ? "refused" : "held back",
      reason,
    })),
    held.length === 0 ? "No record was refused or is held back." : table,
  );
};

/** What the server says in one word, for people. */
const words: Readonly<Record<string, string>> = {
  unknown_kind: "the server does not know this kind yet; sent when it is upgraded",
  unknown_version: "the server knows an older form of it; sent when it is upgraded",
  id_reuse: "another record has this id already",
};
const wordsOf = (reason: string): string => words[reason] ?? reason;

export const deadRetry: HandlerOf<typeof syncDeadRetryRecord> = async (input, context) => {
  const { chosen, folder } = await choose(input, context);
  for (const one of chosen) await retryRecord(folder, one);
  const { home, syncEnabled } = context.config();
  if (syncEnabled && chosen.length > 0) await wakeDrainer(homeAt(home), context.env);
  context.output.result(
    { retried: chosen.map(({ id }) => id) },
    `${counted(chosen.length, "record")} will be sent again.`,
  );
};

export const deadDrop: HandlerOf<typeof syncDeadDropRecord> = async (input, context) => {
  const { chosen, folder } = await choose(input, context);
  for (const one of chosen) await dropRecord(folder, one);
  context.output.result({ dropped: chosen.map(({ id }) => id) }, `${counted(chosen.length, "record")} deleted.`);
};

async function choose(
  { record, all }: { record?: string | undefined; all: boolean },
  { config }: CommandContext,
): Promise<{ chosen: HeldRecord[]; folder: SpoolFolder }> {
  const folder = spoolFolder(config().home);
  const held = await heldBack(folder);
  const next = "List them: devflow sync dead list";
  if ((record === undefined) === !all)
    throw new DevflowError("usage", { details: { problem: "Name a record, or give --all.", next } });
  const chosen = held.filter(({ id }) => all || id.startsWith(record?.toLowerCase() ?? ""));
  if (!all && chosen.length !== 1) {
    const problem =
      chosen.length === 0 ? `No such record begins with ${record}.` : `${chosen.length} records begin with ${record}.`;
    throw new DevflowError("usage", { details: { problem, next } });
  }
  return { chosen, folder };
}
