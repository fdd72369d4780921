/** Ends the terminal of a session's folder, if there is one, without a holder. */
import { existsSync, rmSync } from "node:fs";
import { terminalPlace } from "./terminal-place.ts";
import { tmuxTerminal } from "./tmux-terminal.ts";

export async function endTerminal(root: string, env: Readonly<Record<string, string>>): Promise<void> {
  const { tmuxSocket, sockets } = terminalPlace(root);
  if (existsSync(tmuxSocket)) await tmuxTerminal(tmuxSocket, "", env).end();
  rmSync(sockets, { recursive: true, force: true });
}
