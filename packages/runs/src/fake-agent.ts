/** The fake agent for the executable's hidden command; nothing else of runs is loaded with it. */
export { runFakeAgent } from "@devflow/session/fake/agent";
