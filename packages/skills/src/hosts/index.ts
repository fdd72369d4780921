/** Entry point of hosts. */
export { type HookEntry, isSame } from "./hook-entries.ts";
export { entriesOf, type HookHostName, hookHostNames, hookHosts, settingsFile, trustNote } from "./hook-hosts.ts";
export { type HookOutcome, hookOutcomes, installedHooks, installHooks, uninstallHooks } from "./install-hooks.ts";
