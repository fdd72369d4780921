import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { allCommands } from "../commands.ts";
import { usageLine } from "../help.ts";
import { textTable } from "../text-table.ts";
import type { findRecord } from "./commands.ts";
import { searchCommands } from "./search-commands.ts";

const shownAtMost = 10;

export const find: HandlerOf<typeof findRecord> = async ({ words }, { output }) => {
  const found = searchCommands(await allCommands(), words.join(" "));
  if (found.length === 0) {
    const next = "List all commands: devflow --help --all";
    throw new DevflowError("not_found", { details: { what: `A command for "${words.join(" ")}"`, next } });
  }
  const shown = found.slice(0, shownAtMost);
  const rows = shown.map((one) => [`devflow ${one.name}`, one.summary]);
  const more = found.length - shown.length;
  output.result(
    { commands: shown.map((one) => ({ name: one.name, summary: one.summary, usage: usageLine(one) })) },
    `${textTable([{ title: "" }, { title: "" }], rows)}${more > 0 ? `\n… and ${more} more; use more words` : ""}`,
  );
};
