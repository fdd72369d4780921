/**
 * The start of an agent in a terminal, from its first output to its input line.
 *
 * - `untilReady(agent, terminal)` resolves when the input line is there and empty; rejects with why it will not be.
 */
import { setTimeout as pause } from "node:timers/promises";
import { inputState } from "./input-line.ts";
import type { TerminalAgent } from "./terminal-agent.ts";
import type { TmuxTerminal } from "./tmux-terminal.ts";
import { screenNow, screenText } from "./typing.ts";

/** Below the time that the driver waits for a start. */
const readyMs = 50_000;
const lookEveryMs = 250;
/** Something may still take its place. */
const looksInARow = 3;

export async function untilReady(agent: TerminalAgent, terminal: TmuxTerminal): Promise<void> {
  const deadline = Date.now() + readyMs;
  let seen = 0;
  while (Date.now() < deadline) {
    const pane = await terminal.pane();
    const screen = await screenText(terminal);
    if (!pane || pane.isDead) throw new Error(`${agent.name} ${pane?.exit ?? "lost its terminal"}: ${screen}`);
    const reason = agent.notReady(screen);
    if (reason !== undefined) throw new Error(reason);
    const key = agent.startKey(screen);
    if (key !== undefined) await terminal.press(key);
    const isThere = !agent.isLoading(screen) && inputState(await screenNow(terminal), agent.look) === "empty";
    seen = isThere ? seen + 1 : 0;
    if (seen >= looksInARow) return;
    await pause(lookEveryMs);
  }
  const hint = `Attach to look at it: tmux -S ${terminal.socket} attach -t ${terminal.session}`;
  throw new Error(`${agent.name} does not show its input line. ${hint}\nIts screen:\n${await screenText(terminal)}`);
}
