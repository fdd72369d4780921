/** Commands about the browser itself: tabs, pictures, state, life and death. */
import { careCommands } from "./care.ts";
import { chainCommands } from "./chains.ts";
import { lifeCommands } from "./life.ts";
import { pictureCommands } from "./pictures.ts";
import { recordingCommands } from "./recordings.ts";
import { tabCommands } from "./tabs.ts";

export const metaCommands = [
  ...tabCommands,
  ...pictureCommands,
  ...chainCommands,
  ...recordingCommands,
  ...lifeCommands,
  ...careCommands,
];
