/** The fake agent for the executable's own hidden command; nothing else of runs is loaded with it. */
export { runFakeAgent } from "@devflow/session/fake/agent";
