/** The first program in an agent's sandbox for the executable's hidden command; nothing else of runs is loaded with it. */
export { runInside } from "@devflow/session/sandbox/run-inside";
