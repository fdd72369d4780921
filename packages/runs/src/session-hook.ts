/** The hook of an agent in a terminal for the executable's hidden command; nothing else of runs is loaded with it. */
export { runHook } from "@devflow/session/tmux/run-hook";
