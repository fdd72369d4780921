/** Entry point of hooks. */
export { handleHook } from "./handle-hook.ts";
export { type HookMoment, hookMoments, readHookEvent } from "./hook-event.ts";
export type { HookAnswer, HookPlace, HookPorts, HookTeam } from "./hook-ports.ts";
export { type HookSettings, hookParts, hookSettings } from "./hook-settings.ts";
export { note, readNotes } from "./session-notes.ts";
