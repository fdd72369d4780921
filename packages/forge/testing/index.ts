export { type ForgeDouble, startForge } from "./forge-double.ts";
export { actOrSkip, ghOrSkip } from "./install-gh.ts";
