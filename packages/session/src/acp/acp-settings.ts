/** What a backend's definition tells the ACP wire; it stands in `start.json` as `settings`. */
import type { HeldStart } from "../holder/held-start.ts";

export interface AcpSettings {
  readonly profile?: string | undefined;
  /** The mode to set, instead of the profile's. */
  readonly mode?: string | undefined;
}

export function acpSettings({ settings = {} }: HeldStart): AcpSettings {
  const text = (name: string) => (typeof settings[name] === "string" ? settings[name] : undefined);
  return { profile: text("profile"), mode: text("mode") };
}
