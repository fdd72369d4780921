import type { HandlerOf } from "@devflow/core/command";
import type { configGetRecord } from "./commands.ts";
import { knownSetting } from "./known-setting.ts";

export const getSetting: HandlerOf<typeof configGetRecord> = async ({ key: given }, { inspectConfig, output }) => {
  const key = knownSetting(given);
  const found = inspectConfig().values.find((one) => one.key === key);
  output.result({ key, value: found?.value ?? null, source: found?.source }, shownValue(found?.value));
};

export function shownValue(value: unknown): string {
  if (value === undefined) return "-";
  if (Array.isArray(value)) return value.length > 0 ? value.join(",") : "-";
  return String(value);
}
