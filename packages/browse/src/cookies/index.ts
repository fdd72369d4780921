export { importCookies } from "./import-command.ts";
