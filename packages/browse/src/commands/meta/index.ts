/** Commands about the browser itself: tabs, pictures, state, life and death. */
import { lifeCommands } from "./life.ts";
import { tabCommands } from "./tabs.ts";

export const metaCommands = [...lifeCommands, ...tabCommands];
