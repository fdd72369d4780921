/** Entry point of record: a flow that a person does in the window becomes evidence, a spec and a verb. */
export { startRecord, stopRecord } from "./record-commands.ts";
