/** Whether this machine can confine an agent, for programs that load nothing else of runs. */
export { requireSandbox } from "@devflow/session/sandbox/require-sandbox";
