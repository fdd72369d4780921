/** Entry point of presence. */
export {
  clearPresence,
  leavePresence,
  type Presence,
  type PresenceState,
  presenceFolder,
  readLeft,
  readPresence,
  readPresences,
  writePresence,
} from "./presence-file.ts";
