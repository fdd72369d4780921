/** Entry point of the Browse screen's routes. */
export { machineBrowse } from "./routes.ts";
