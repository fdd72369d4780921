/** Entry point of the test support of this package. */
export { type Machine, machineAt, type ServerAccess } from "./machine.ts";
