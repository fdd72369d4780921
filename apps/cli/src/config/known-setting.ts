/** A setting's name as typed, or an error with the nearest one. */
import { isSettingKey, type SettingKey, settingKeys } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { nearest } from "@devflow/core/nearest";

export function knownSetting(given: string): SettingKey {
  const key = given.replaceAll("-", "_");
  if (isSettingKey(key)) return key;
  const meant = nearest(key, settingKeys);
  const next = meant ? `Did you mean: devflow config get ${meant}` : "See all of them: devflow config list";
  throw new DevflowError("config_key_unknown", { details: { key: given, next } });
}
