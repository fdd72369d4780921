/** Entry point of presence. */
export {
  clearPresence,
  type Presence,
  type PresenceState,
  readPresence,
  readPresences,
  writePresence,
} from "./presence-file.ts";
