import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { type SettingKey, settings, variableOf } from "@devflow/core/config";
import { writeSetting } from "@devflow/core/config-file";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { findServer } from "../server/state.ts";
import type { configSetRecord, configUnsetRecord } from "./commands.ts";
import { knownSetting } from "./known-setting.ts";

export const setSetting: HandlerOf<typeof configSetRecord> = async ({ key: given, value }, context) => {
  const key = knownSetting(given);
  const parsed = settings[key].schema().safeParse(value);
  if (!parsed.success) {
    const problem = `${key} cannot be ${JSON.stringify(value)}: ${parsed.error.issues[0]?.message ?? "not valid"}.`;
    throw new DevflowError("input_invalid", { details: { problem, next: "See the settings: devflow config list" } });
  }
  const written: unknown = "secret" in settings[key] ? value : parsed.data;
  await writeSetting(homeAt(context.inspectConfig().home).configFile, key, written);
  await report(context, key, `${key} is set`);
};

export const unsetSetting: HandlerOf<typeof configUnsetRecord> = async ({ key: given }, context) => {
  const key = knownSetting(given);
  await writeSetting(homeAt(context.inspectConfig().home).configFile, key, undefined);
  await report(context, key, `${key} now has its default value`);
};

async function report({ inspectConfig, output }: CommandContext, key: SettingKey, text: string): Promise<void> {
  const inForce = inspectConfig().values.find((one) => one.key === key);
  output.result({ key, value: inForce?.value ?? null, source: inForce?.source }, text);
  if (inForce?.source === "environment") output.note(`note: ${variableOf(key)} in the environment overrides it`);
  const { readBy } = settings[key] as { readBy?: "server" | "browser" | "worker" };
  if (readBy === "browser") output.note("It counts from the browser's next start: devflow browse stop");
  if (readBy === "worker") output.note("It counts from the next start of devflow-worker");
  if (readBy === "server" && (await findServer(homeAt(inspectConfig().home))))
    output.note("It counts from the server's next start: devflow down && devflow up -d");
}
