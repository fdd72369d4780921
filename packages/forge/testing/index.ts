export { startForge } from "./forge-double.ts";
export { ghOrSkip } from "./install-gh.ts";
