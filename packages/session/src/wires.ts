/** The holder's side of the package, apart from the driver's: a holder loads no more than it needs. */
import { acpWire } from "./acp/acp-wire.ts";
import { claudeWire } from "./claude/claude-wire.ts";
import { codexWire } from "./codex/codex-wire.ts";
import type { MakeWire } from "./holder/wire.ts";
import { claudeTerminalWire } from "./tmux/claude-terminal.ts";
import { codexTerminalWire } from "./tmux/codex-terminal.ts";

export { type HolderOptions, runHolder } from "./holder/holder.ts";

/** By the name that `start.json` has. */
export const wires: Readonly<Record<string, MakeWire>> = {
  claude: claudeWire,
  codex: codexWire,
  acp: acpWire,
  "tmux-claude": claudeTerminalWire,
  "tmux-codex": codexTerminalWire,
};
