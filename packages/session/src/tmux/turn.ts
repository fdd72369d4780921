/**
 * The turn that an agent in a terminal is in, from its own record.
 *
 * - idle → running: a message of the user is in the record, or the hook of a prompt came.
 * - running → idle: the record says that the turn ended. A message that was typed during the turn and not taken up yet
 *   begins the next one, so the agent is still running then.
 * - A turn is ours from the moment one of our prompts is in it. What a person typed into the terminal is a turn too, but
 *   nobody is told of its end.
 */
import type { TurnOutcome } from "../adapter.ts";
import type { RecordEvent, RecordUsage } from "./record-event.ts";

export interface TurnListener {
  usage(used: RecordUsage): void;
  ended(turn: { readonly outcome: TurnOutcome; readonly reason: string | undefined; readonly isOurs: boolean }): void;
  lines(lines: readonly string[]): void;
}

export interface Turn {
  readonly isRunning: boolean;
  readonly isOurs: boolean;
  /** How the last turn of ours ended. */
  readonly lastOutcome: TurnOutcome | undefined;
  readonly mode: string | undefined;
  /** The newest message of the user that is in the record. */
  readonly lastText: string;
  begin(isOurs: boolean): void;
  apply(event: RecordEvent): void;
  /** A message that the agent keeps until it can take it up. */
  queue(text: string): void;
  /** Messages that were never taken up; forgotten with this call. */
  takeQueued(): string[];
  /** The agent is gone: reports what it used, and is idle. */
  stop(): void;
}

const ourMark = "DEVFLOW_PROMPT_BEGIN ";

export function createTurn(listener: TurnListener): Turn {
  let isRunning = false;
  let isOurs = false;
  let lastOutcome: TurnOutcome | undefined;
  let mode: string | undefined;
  let lastText = "";
  let queued: string[] = [];
  let used = new Map<string, RecordUsage>();

  const begin = (ours: boolean) => {
    isRunning = true;
    if (ours) isOurs = true;
  };
  const stop = () => {
    for (const one of used.values()) listener.usage(one);
    used = new Map();
    isRunning = false;
    isOurs = false;
  };

  const apply = (event: RecordEvent): void => {
    switch (event.kind) {
      case "turn_started":
        begin(false);
        return;
      case "user_text":
        lastText = event.text;
        queued = queued.filter((text) => !isSameText(event.text, text));
        // Codex records what it adds itself in the user's name; only a real prompt says whose turn it is.
        if (event.text.includes(ourMark)) begin(true);
        return;
      case "usage":
        used.set(event.used.model, sum(used.get(event.used.model), event.used));
        return;
      case "mode":
        mode = event.mode;
        return;
      case "lines":
        listener.lines(event.lines);
        return;
      case "turn_ended": {
        if (!isRunning || (queued.length > 0 && event.outcome !== "interrupted")) return;
        const ended = { outcome: event.outcome, reason: event.reason, isOurs };
        if (isOurs) lastOutcome = event.outcome;
        stop();
        listener.ended(ended);
      }
    }
  };

  return {
    get isRunning() {
      return isRunning;
    },
    get isOurs() {
      return isOurs;
    },
    get lastOutcome() {
      return lastOutcome;
    },
    get mode() {
      return mode;
    },
    get lastText() {
      return lastText;
    },
    begin,
    apply,
    stop,
    queue: (text) => void queued.push(text),
    takeQueued() {
      const taken = queued;
      queued = [];
      return taken;
    },
  };
}

/** A terminal may change how a text is broken into lines. */
export const isSameText = (whole: string, part: string): boolean => collapsed(whole).includes(collapsed(part));

const collapsed = (text: string): string => text.replace(/\s+/g, " ").trim();

function sum(before: RecordUsage | undefined, more: RecordUsage): RecordUsage {
  if (!before) return more;
  return {
    model: more.model,
    inputTokens: before.inputTokens + more.inputTokens,
    outputTokens: before.outputTokens + more.outputTokens,
    cacheReadTokens: before.cacheReadTokens + more.cacheReadTokens,
    cacheWriteTokens: before.cacheWriteTokens + more.cacheWriteTokens,
  };
}
