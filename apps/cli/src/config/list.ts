import type { CommandHandler } from "@devflow/core/command";
import { settings } from "@devflow/core/config";
import { textTable } from "../text-table.ts";
import { shownValue } from "./get.ts";

/** Works with a broken configuration too: errors are shown next to the current values. */
export const listSettings: CommandHandler = async (_input, { inspectConfig, output }) => {
  const { values, faults, warnings, home } = inspectConfig();
  const rows = values.map(({ key, value, source }) => [key, shownValue(value), source, settings[key].summary]);
  const table = textTable([{ title: "setting" }, { title: "value" }, { title: "from" }, { title: "meaning" }], rows);
  const listed = values.map(({ key, value, source }) => ({ key, value: value ?? null, source }));
  output.result({ home, settings: listed, faults, warnings }, table);
  for (const { key, source, problem } of [...faults, ...warnings]) output.note(`${key} (${source}): ${problem}`);
  return faults.length > 0 ? 78 : 0;
};
