/**
 * What is looked at again and again while an agent runs in a terminal, because nobody tells it.
 *
 * - `watchProcess(pid, terminal, onEnd)` reports once that the agent, or its terminal, is gone, and why.
 * - `watchLimits(agent, terminal, { isRunning, onLimit })` reports each limit of the model's provider once, from the screen.
 *
 * Each returns the function that ends the watch.
 */
import { isSameProcess, processIdentity } from "@devflow/core/process-proof";
import type { TerminalAgent } from "./terminal-agent.ts";
import type { TmuxTerminal } from "./tmux-terminal.ts";
import { screenText } from "./typing.ts";

const processEveryMs = 250;
/** Asking tmux costs a process; so often it is enough. */
const looksPerPane = 8;
const limitEveryMs = 3_000;

export function watchProcess(pid: number, terminal: TmuxTerminal, onEnd: (reason: string) => void): () => void {
  const identity = processIdentity(pid) ?? "";
  let looks = 0;
  const timer = setInterval(async () => {
    looks += 1;
    const isAlive = isSameProcess({ pid, identity });
    // Without its terminal nobody can reach it.
    if (isAlive && (looks % looksPerPane !== 0 || (await terminal.pane()) !== undefined)) return;
    clearInterval(timer);
    const pane = await terminal.pane();
    const screen = pane ? await screenText(terminal) : "";
    const how = pane ? pane.exit : "lost its terminal";
    onEnd(screen === "" ? `it ${how}` : `it ${how}: ${screen}`);
  }, processEveryMs);
  return () => clearInterval(timer);
}

interface LimitListener {
  /** Only an agent in a turn can wait for its provider. */
  isRunning(): boolean;
  onLimit(reason: string, resetAt: Date | undefined): void;
}

export function watchLimits(agent: TerminalAgent, terminal: TmuxTerminal, listener: LimitListener): () => void {
  let last = "";
  const timer = setInterval(async () => {
    if (!listener.isRunning()) return;
    const limit = agent.rateLimit(await screenText(terminal));
    if (!limit) last = "";
    if (!limit || limit.reason === last) return;
    last = limit.reason;
    const { seconds } = limit;
    listener.onLimit(limit.reason, seconds === undefined ? undefined : new Date(Date.now() + seconds * 1000));
  }, limitEveryMs);
  return () => clearInterval(timer);
}
