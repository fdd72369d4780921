/** Typing into a real terminal. The agent is a shell: it has an input line, takes pastes, and does what it is told. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { canRun, lackOfProgram, temporaryFolder } from "@devflow/testkit";
import { inputState } from "./input-line.ts";
import { type TmuxTerminal, tmuxTerminal } from "./tmux-terminal.ts";
import { printable, screenNow, type TypingOptions, typeText } from "./typing.ts";

const hasTmux = await canRun("the tests of typing into a terminal", () =>
  lackOfProgram("tmux", "-V", "apt-get install tmux, dnf install tmux or brew install tmux"),
);
const look = { glyph: "›" };

async function openShell() {
  const folder = temporaryFolder();
  const env = { PATH: process.env.PATH ?? "", HOME: folder };
  const terminal = tmuxTerminal(join(folder, "tmux"), "shell", env);
  const command = ["bash", "--norc", "--noprofile", "-i"];
  await terminal.start({
    command,
    cwd: folder,
    env: { ...env, PS1: "› ", LC_ALL: "C.UTF-8" },
    log: join(folder, "log"),
  });
  await until(terminal, "empty");
  return { folder, terminal, [Symbol.asyncDispose]: () => terminal.end() };
}

async function until(terminal: TmuxTerminal, state: string): Promise<void> {
  while (inputState(await screenNow(terminal), look) !== state) await pause(20);
}

/** Confirmed once the file is there. */
function options(terminal: TmuxTerminal, file: string, changes: Partial<TypingOptions> = {}): TypingOptions {
  const confirmed = new Promise<void>((resolve) => {
    const watcher = watch(join(file, ".."), () => {
      if (!existsSync(file)) return;
      watcher.close();
      resolve();
    });
  });
  return {
    terminal,
    look,
    confirmed,
    mayType: () => true,
    onPerson: () => undefined,
    onDraftRemoved: () => undefined,
    beforePaste: () => undefined,
    afterPaste: () => undefined,
    ended: new Promise<never>(() => undefined),
    ...changes,
  };
}

describe.skipIf(!hasTmux)("typing into a terminal", () => {
  test("the text is pasted once and confirmed", async () => {
    await using shell = await openShell();
    const file = join(shell.folder, "done");
    let pastes = 0;
    const counted = options(shell.terminal, file, { beforePaste: () => void pastes++ });
    // The shell makes the file that confirms the text only after it has written the other one.
    await typeText("echo one >> written && touch done", counted);
    expect(readFileSync(join(shell.folder, "written"), "utf8")).toBe("one\n");
    expect(pastes).toBe(1);
  });

  test("it waits until it may", async () => {
    await using shell = await openShell();
    const file = join(shell.folder, "done");
    let looks = 0;
    const told: string[] = [];
    const mayType = () => {
      looks += 1;
      return looks > 5;
    };
    await typeText("touch done", options(shell.terminal, file, { mayType, onPerson: () => void told.push("waits") }));
    expect(told[0]).toBe("waits");
  });

  test("a text that somebody left on the input line is kept in the transcript and removed after a pause", async () => {
    await using shell = await openShell();
    await shell.terminal.press("-l", "half a thought");
    await until(shell.terminal, "filled");
    const drafts: string[] = [];
    const onDraftRemoved = (draft: string) => void drafts.push(draft);
    await typeText("touch done", options(shell.terminal, join(shell.folder, "done"), { onDraftRemoved, draftMs: 100 }));
    expect(drafts).toEqual(["half a thought"]);
  });

  test("an agent that ends while it is waited for is reported", async () => {
    await using shell = await openShell();
    const ended = Promise.reject(new Error("it is gone"));
    ended.catch(() => undefined);
    const waiting = options(shell.terminal, join(shell.folder, "done"), { mayType: () => false, ended });
    await expect(typeText("touch done", waiting)).rejects.toThrow("it is gone");
  });
});

test("no control character is typed, and no command of the agent's own", () => {
  expect(printable("a\u001b[201~b\r\nc\td\u0003\u009b")).toBe("a[201~b\nc\td");
  expect(["/exit", "  !rm", "#note", "plain / text"].map(printable)).toEqual([
    "Message: /exit",
    "Message: !rm",
    "Message: #note",
    "plain / text",
  ]);
});
