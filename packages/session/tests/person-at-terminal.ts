/**
 * A person who attaches to an agent's terminal. Like a person, they go by what they see, never by the clock alone.
 *
 * - `attach(handle)` at a terminal of their own; they leave with the end of the block.
 * - `write(text)` resolves when the agent shows the whole line; `enter()` sends it.
 * - `answer(dialog, key)` waits until the dialog is there, and presses the key until it is gone.
 * - `inTmux(handle, …)` what tmux says about the session, without attaching.
 */
import { execFileSync, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import type { SessionHandle } from "../src/adapter.ts";

interface Person extends AsyncDisposable {
  write(text: string): Promise<void>;
  enter(): Promise<void>;
  answer(dialog: string, key: string): Promise<void>;
}

const seenWithinMs = 30_000;
/** A key that was taken has closed its dialog by then, unless the machine is very busy. */
const pressAgainMs = 2_000;
const mostPresses = 10;
/** Agents take a key that follows a text too closely for a part of a paste. */
const betweenKeysMs = 500;

export async function attach(handle: SessionHandle): Promise<Person> {
  const { tmuxSocket = "", tmuxSession = "" } = handle;
  // `script` gives them a terminal.
  const words = ["-qec", `tmux -S ${tmuxSocket} attach -t ${tmuxSession}`, "/dev/null"];
  const env = { ...process.env, TERM: "xterm-256color", LC_ALL: "C.UTF-8" };
  const terminal = spawn("script", words, { env, stdio: ["pipe", "ignore", "ignore"] });
  const exited = new Promise((resolve) => terminal.once("exit", resolve));
  const screen = () => inTmux(handle, "capture-pane", "-p", "-t", `=${tmuxSession}:`);
  const expectSeen = async (text: string) => {
    if (await isSoWithin(seenWithinMs, () => screen().includes(text))) return;
    throw new Error(`"${text}" is not on the screen:\n${screen()}`);
  };
  if (!(await isSoWithin(seenWithinMs, () => inTmux(handle, "list-clients") !== ""))) {
    terminal.kill();
    throw new Error(`nobody could attach to ${tmuxSession}`);
  }
  let line = "";
  return {
    async write(text) {
      line += text;
      terminal.stdin.write(text);
      await expectSeen(line.trimEnd());
      await pause(betweenKeysMs);
    },
    async enter() {
      line = "";
      terminal.stdin.write("\r");
      await pause(betweenKeysMs);
    },
    // Claude Code drops keys for a moment after it has drawn a dialog: 6 of 12 that came at once, 4 of 12 after 50 ms, none of
    // 12 after 300 ms. A busy machine makes the moment longer.
    async answer(dialog, key) {
      await expectSeen(dialog);
      for (let presses = 0; presses < mostPresses; presses++) {
        terminal.stdin.write(key);
        if (await isSoWithin(pressAgainMs, () => !screen().includes(dialog))) return;
      }
      throw new Error(`"${key}" does not answer the dialog:\n${screen()}`);
    },
    async [Symbol.asyncDispose]() {
      inTmux(handle, "detach-client", "-s", tmuxSession);
      await exited;
    },
  };
}

export function inTmux({ tmuxSocket = "" }: SessionHandle, ...words: string[]): string {
  return execFileSync("tmux", ["-S", tmuxSocket, ...words], { encoding: "utf8" });
}

async function isSoWithin(ms: number, isSo: () => boolean): Promise<boolean> {
  const deadline = Date.now() + ms;
  while (!isSo()) {
    if (Date.now() > deadline) return false;
    await pause(50);
  }
  return true;
}
