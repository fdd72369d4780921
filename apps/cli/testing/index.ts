/** For the tests of the whole and for scripts: `@devflow/cli/testing`. */
export { terminalName } from "../src/team/oauth-client.ts";
export { evalRecords } from "./eval-records.ts";
export { startTeam } from "./start-team.ts";
export { portable, recordWire } from "./wire-recording.ts";
