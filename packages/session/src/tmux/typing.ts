/**
 * Types a text into an agent's terminal: one bracketed paste, then Enter.
 *
 * - `typeText` waits until it is safe, pastes once, and presses Enter until the agent confirms, three times at most. It
 *   never pastes twice: a paste that did not show up may still arrive. It rejects instead, and the agent is started anew.
 *
 * It is safe when the input line is on the screen and empty and nobody is typing. With a dialog open a paste would vanish
 * and the Enter would choose the dialog's first answer.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type InputLook, type InputState, inputState, inputText, type Screen } from "./input-line.ts";
import type { TmuxTerminal } from "./tmux-terminal.ts";

export interface TypingOptions {
  readonly terminal: TmuxTerminal;
  readonly look: InputLook;
  /** Resolves when the agent has confirmed the text. */
  readonly confirmed: Promise<void>;
  /** Whether the agent takes this text now: it is idle, and no question of it is open. */
  mayType(): boolean;
  /** A person uses the terminal, so the text waits. */
  onPerson(): void;
  /** A person's unfinished text was removed, after a long pause. */
  onDraftRemoved(text: string): void;
  /** After how long without a key a person's unfinished text is in the way; default a minute. */
  readonly draftMs?: number;
  /** Just before the paste, and after it. */
  beforePaste(): void;
  afterPaste(): void;
  /** Rejects when the agent ends. */
  readonly ended: Promise<never>;
}

/** Keys of an attached person in the last few seconds. */
const typingMs = 4_000;
const defaultDraftMs = 60_000;
/** How long the input line may be missing while nobody is attached. */
const absentMs = 30_000;
const shownMs = 15_000;
const confirmMs = 4_000;
const enters = 3;
const lookEveryMs = 150;

export async function typeText(text: string, options: TypingOptions): Promise<void> {
  const { terminal, look, confirmed, ended, beforePaste, afterPaste } = options;
  await untilSafe(options);
  beforePaste();
  await terminal.paste(printable(text));
  await untilShown(terminal, look, ended);
  afterPaste();
  for (let tries = 0; tries < enters; tries++) {
    // An Enter of an attached person may have sent it already.
    if (tries > 0 && (await stateNow(terminal, look)) !== "filled") break;
    await terminal.press("Enter");
    if (await within(confirmed, confirmMs, ended)) return;
  }
  if (await within(confirmed, confirmMs, ended)) return;
  throw new Error(`the text was not taken; the screen:\n${await screenText(terminal)}`);
}

async function untilSafe(options: TypingOptions): Promise<void> {
  const { terminal, look, ended, mayType, onPerson, onDraftRemoved, draftMs = defaultDraftMs } = options;
  let wasEmpty = false;
  let absentSince = Date.now();
  for (;;) {
    const typedAgo = await sinceTyped(terminal);
    const screen = await screenNow(terminal);
    const state = inputState(screen, look);
    if (state !== "absent" || !mayType()) absentSince = Date.now();
    if (mayType() && typedAgo > typingMs && state === "empty") {
      // Twice: a screen may be caught in the middle of a change.
      if (wasEmpty) return;
      wasEmpty = true;
    } else {
      wasEmpty = false;
      if (!mayType() || typedAgo <= typingMs || state === "filled" || typedAgo < draftMs) onPerson();
      if (mayType() && state === "filled" && typedAgo > draftMs) {
        onDraftRemoved(inputText(screen, look));
        // It clears the line, and keeps the text in the agent's own history.
        await terminal.press("C-c");
      }
      if (Date.now() - absentSince > absentMs && typedAgo > draftMs)
        throw new Error(`its input line is not on the screen:\n${await screenText(terminal)}`);
    }
    await Promise.race([pause(lookEveryMs), ended]);
  }
}

async function untilShown(terminal: TmuxTerminal, look: InputLook, ended: Promise<never>): Promise<void> {
  const deadline = Date.now() + shownMs;
  let before = "";
  while (Date.now() < deadline) {
    const screen = await screenNow(terminal);
    const now = inputText(screen, look);
    if (inputState(screen, look) === "filled" && now === before) return;
    before = now;
    await Promise.race([pause(lookEveryMs), ended]);
  }
  throw new Error(`the pasted text did not appear; the screen:\n${await screenText(terminal)}`);
}

/** Milliseconds since an attached person pressed a key; infinite when nobody is attached. Also leaves the history. */
async function sinceTyped(terminal: TmuxTerminal): Promise<number> {
  const last = await terminal.lastTyped();
  const ago = last ? Date.now() - last.getTime() : Number.POSITIVE_INFINITY;
  if (ago > typingMs && (await terminal.pane())?.isInMode) await terminal.leaveMode();
  return ago;
}

export async function screenNow(terminal: TmuxTerminal): Promise<Screen> {
  const [lines, pane] = [await terminal.screen(), await terminal.pane()];
  return { lines, cursor: pane?.cursor ?? { x: 0, y: 0 } };
}

const stateNow = async (terminal: TmuxTerminal, look: InputLook): Promise<InputState> =>
  inputState(await screenNow(terminal), look);

export async function screenText(terminal: TmuxTerminal): Promise<string> {
  const lines = (await terminal.screen()).map((line) => line.trimEnd()).filter((line) => line !== "");
  return lines.slice(-20).join("\n");
}

async function within(confirmed: Promise<void>, ms: number, ended: Promise<never>): Promise<boolean> {
  const stop = new AbortController();
  const late = pause(ms, false, { signal: stop.signal }).catch(() => false);
  try {
    return await Promise.race([confirmed.then(() => true), late, ended]);
  } finally {
    stop.abort();
  }
}

/**
 * No escape sequence may get into the terminal: one could end the paste and press keys. A text that begins with a sign that
 * agents take for a command gets a word in front.
 */
export function printable(text: string): string {
  const plain = text
    .replace(/\r\n?/g, "\n")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
  return /^\s*[/!#@&?]/.test(plain) ? `Message: ${plain.trimStart()}` : plain;
}
