/** The holder's side of the package, apart from the driver's: a holder loads no more than it needs. */
import { claudeWire } from "../claude/claude-wire.ts";
import { claudeTerminalWire } from "../tmux/claude-terminal.ts";
import { codexTerminalWire } from "../tmux/codex-terminal.ts";
import type { MakeWire } from "./wire.ts";

export type { HeldStart } from "./held-start.ts";
export { type HolderOptions, runHolder } from "./holder.ts";

/** By the name that `start.json` has. */
export const wires: Readonly<Record<string, MakeWire>> = {
  claude: claudeWire,
  "tmux-claude": claudeTerminalWire,
  "tmux-codex": codexTerminalWire,
};
