/** Commands about the browser itself: tabs, screenshots, recordings, lifecycle, state, policy. */
import { chainCommands } from "./chains.ts";
import { lifecycleCommands } from "./lifecycle.ts";
import { manageCommands } from "./manage.ts";
import { pictureCommands } from "./pictures.ts";
import { recordingCommands } from "./recordings.ts";
import { tabCommands } from "./tabs.ts";

export const metaCommands = [
  ...tabCommands,
  ...pictureCommands,
  ...chainCommands,
  ...recordingCommands,
  ...lifecycleCommands,
  ...manageCommands,
];
