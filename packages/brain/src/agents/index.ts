/** Entry point of agents. */
export { agentIdentity, sessionOfCaller } from "./agent-identity.ts";
