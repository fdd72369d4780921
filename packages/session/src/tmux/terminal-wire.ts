/**
 * An agent's own interface in a terminal that people can attach to. See `Wire` for the contract.
 *
 * What happened is told by the agent's hooks, which reach the holder through a socket, and by the agent's own record of
 * the session: hooks confirm prompts, ask for permissions and ask whether a turn may end; the record tells how turns ended,
 * what they used and what was said. The screen is looked at only before typing, and for messages to people.
 *
 * The agent survives its holder. The next one finds it by the session's folder, and takes it over unless a prompt may be
 * half typed: then the agent is started anew and continues its session, with an empty input line.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { faultPoint } from "@devflow/core/fault-point";
import { killGroup } from "../holder/agent-file.ts";
import type { OpenedAgent, Wire, WireHost } from "../holder/wire.ts";
import { type FollowedRecord, followRecord } from "./follow-record.ts";
import { type Hook, listenForHooks } from "./hook-socket.ts";
import { inputState } from "./input-line.ts";
import { recordHas } from "./record-has.ts";
import type { MakeTerminalAgent } from "./terminal-agent.ts";
import { openTerminalFile } from "./terminal-file.ts";
import { terminalPermissions } from "./terminal-permissions.ts";
import { makeTerminalPlace } from "./terminal-place.ts";
import { tmuxTerminal } from "./tmux-terminal.ts";
import { createTurn, isSameText } from "./turn.ts";
import { screenNow, typeText } from "./typing.ts";
import { untilReady } from "./until-ready.ts";
import { watchLimits, watchProcess } from "./watch-terminal.ts";

/** A text that is being typed. */
interface Waiting {
  readonly isOurs: boolean;
  isIt(prompt: string): boolean;
  confirm(): void;
  refuse(reason: string): void;
}

const lookEveryMs = 250;
/** Facts about a waiting person are repeated, so that the driver goes on waiting too. */
const personEveryMs = 15_000;
const recordedMs = 10_000;
/** Each waits two seconds; the driver ends an agent that goes on for ten. */
const mostEscapes = 4;

export function terminalWire(makeAgent: MakeTerminalAgent, host: WireHost): Wire {
  const agent = makeAgent(host);
  const place = makeTerminalPlace(host.root);
  const session = host.start.sessionId.replace(/[^\w-]/g, "-");
  const terminal = tmuxTerminal(place.tmuxSocket, session, host.env);
  const file = openTerminalFile(host.root);
  const permissions = terminalPermissions(host);

  let record: FollowedRecord | undefined;
  let hooks: { close(): void } | undefined;
  let isReplaying = false;
  let isInterrupted = false;
  let isClosing = false;
  let lastPerson = 0;
  let waiting: Waiting | undefined;
  const watches: (() => void)[] = [];
  let fail: (reason: Error) => void = () => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  ended.catch(() => undefined);

  const turn = createTurn({
    usage: (used) => host.usage({ ...used, costUsd: null }),
    lines: (lines) => {
      if (isReplaying || lines.length === 0) return;
      host.activity("working");
      for (const line of lines) host.output(line);
    },
    ended({ outcome, reason, isOurs }) {
      permissions.forget();
      if (record) file.keep({ offset: record.offset });
      if (isOurs && !isReplaying) host.turnEnded(isInterrupted ? "interrupted" : outcome, reason);
    },
  });

  const onHook = async (hook: Hook): Promise<void> => {
    host.activity(hook.event);
    switch (hook.event) {
      case "UserPromptSubmit":
        return await onPrompt(hook);
      case "PermissionRequest":
        return permissions.ask(hook);
      case "Stop": {
        await record?.drain();
        const words = turn.isOurs && !isInterrupted ? await host.mayEndTurn() : undefined;
        return hook.answer(words === undefined ? undefined : { decision: "block", reason: words });
      }
      default:
        return hook.answer();
    }
  };

  const onPrompt = async (hook: Hook): Promise<void> => {
    const prompt = String(hook.input.prompt ?? "");
    if (!waiting?.isIt(prompt)) {
      // A person typed it.
      turn.begin(false);
      return hook.answer();
    }
    await record?.drain();
    const mode = agent.mode(hook) ?? turn.mode;
    if (mode !== undefined && mode !== agent.expectedMode) {
      const reason = `its permission mode is "${mode}" instead of "${agent.expectedMode}"`;
      hook.answer({ decision: "block", reason });
      return waiting.refuse(reason);
    }
    turn.begin(waiting.isOurs);
    hook.answer();
    waiting.confirm();
  };

  const person = () => {
    if (Date.now() - lastPerson < personEveryMs) return;
    lastPerson = Date.now();
    host.personTyping();
  };

  const type = async (text: string, { uuid, mayType }: { uuid?: string; mayType(): boolean }): Promise<void> => {
    const mark = uuid === undefined ? text : `DEVFLOW_PROMPT_BEGIN ${uuid}`;
    const confirmed = new Promise<void>((resolve, reject) => {
      const refuse = (reason: string) => reject(new Error(reason));
      const isIt = (prompt: string) => isSameText(prompt, mark);
      waiting = { isOurs: uuid !== undefined, isIt, confirm: resolve, refuse };
    });
    confirmed.catch(() => undefined);
    lastPerson = 0;
    try {
      await typeText(text, {
        terminal,
        look: agent.look,
        confirmed,
        mayType,
        ended,
        onPerson: person,
        onDraftRemoved: (draft) => host.output(`An unfinished text was removed from the input line: ${draft}`),
        beforePaste: () => file.keep({ typing: uuid }),
        afterPaste: () => faultPoint("after_prompt_pasted"),
      });
    } finally {
      waiting = undefined;
    }
    if (uuid !== undefined) await untilRecorded(mark);
    file.keep({ typing: undefined });
  };

  /** A prompt that is not in the record yet would be gone with a crash of the agent, and the session with it. */
  const untilRecorded = async (mark: string): Promise<void> => {
    const deadline = Date.now() + recordedMs;
    while (!turn.lastText.includes(mark) && Date.now() < deadline) {
      await Promise.race([record?.drain(), ended]);
      await Promise.race([pause(20), ended]);
    }
  };

  const follow = (agentSessionId: string, offset: number) =>
    followRecord({
      find: () => agent.findRecord(agentSessionId),
      offset,
      onLine: (line) => {
        for (const event of readLine(line)) turn.apply(event);
      },
    });
  const readLine = agent.reader();

  /** What the record has since the last turn's end, without telling it again. */
  const replay = async (agentSessionId: string): Promise<void> => {
    const offset = file.kept.agentSessionId === agentSessionId ? (file.kept.offset ?? 0) : 0;
    isReplaying = true;
    record = follow(agentSessionId, offset);
    await record.drain();
    isReplaying = false;
  };

  const onEnd = async (pid: number, reason: string): Promise<void> => {
    if (isClosing) return;
    isClosing = true;
    fail(new Error(reason));
    killGroup(pid);
    await record?.drain();
    turn.stop();
    await shut();
    host.ended(reason);
  };

  const shut = async (): Promise<void> => {
    for (const stop of watches) stop();
    record?.stop();
    await terminal.end();
    hooks?.close();
  };

  const clearInput = async (): Promise<void> => {
    if (inputState(await screenNow(terminal), agent.look) === "filled") await terminal.press("C-c");
  };

  const begin = async (known: string | undefined): Promise<OpenedAgent> => {
    await terminal.end();
    const prepared = await agent.prepare(known, hookCommandOf(host, place.hookSocket));
    const { agentSessionId } = prepared;
    if (known === agentSessionId) {
      await replay(known);
      // The last process ended in the middle of a turn: what it used still counts.
      turn.stop();
    } else {
      const path = await agent.findRecord(agentSessionId);
      record = follow(agentSessionId, path ? statSync(path).size : 0);
    }
    file.keep({ agentSessionId, offset: record?.offset ?? 0, typing: undefined });
    await terminal.start({
      command: prepared.command,
      cwd: host.start.cwd,
      env: { ...host.env, ...prepared.env },
      log: join(host.root, "pane.log"),
    });
    await untilReady(agent, terminal);
    return { agentSessionId, terminal: { tmuxSocket: terminal.socket, tmuxSession: session } };
  };

  /** The agent of an earlier holder, if it can be taken over. */
  const adopt = async (known: string | undefined): Promise<OpenedAgent | undefined> => {
    const pane = await terminal.pane();
    if (!pane || pane.isDead || known === undefined) return undefined;
    if (file.kept.typing !== undefined && !(await received(known, file.kept.typing))) return undefined;
    await replay(known);
    file.keep({ typing: undefined });
    const adopted = { isBusy: turn.isRunning && turn.isOurs, outcome: turn.lastOutcome };
    return { agentSessionId: known, adopted, terminal: { tmuxSocket: terminal.socket, tmuxSession: session } };
  };

  const received = async (agentSessionId: string, uuid: string): Promise<boolean> => {
    const path = await agent.findRecord(agentSessionId);
    return path !== undefined && (await recordHas(path, `DEVFLOW_PROMPT_BEGIN ${uuid}`, agent.reader()));
  };

  return {
    async open() {
      const known = host.agentSessionId;
      try {
        hooks = await listenForHooks(place.hookSocket, (hook) => {
          onHook(hook).catch((error: Error) => {
            host.output(`A hook failed, and the agent goes on without it: ${error.message}`);
            hook.answer();
          });
        });
        const opened = (await adopt(known)) ?? (await begin(known));
        const pane = await terminal.pane();
        if (!pane) throw new Error(`${agent.name} lost its terminal`);
        host.started(pane.pid);
        watches.push(
          watchProcess(pane.pid, terminal, (reason) => void onEnd(pane.pid, reason)),
          watchLimits(agent, terminal, {
            isRunning: () => turn.isRunning && !isClosing,
            onLimit: (reason, resetAt) => host.rateLimited(reason, resetAt),
          }),
        );
        return opened;
      } catch (error) {
        await shut();
        throw error;
      }
    },

    async wasReceived(uuid) {
      return host.agentSessionId !== undefined && (await received(host.agentSessionId, uuid));
    },

    async prompt(text, uuid) {
      isInterrupted = false;
      // Messages of a person that came too late for the turn before; some agents put them back on the input line.
      const late = turn.takeQueued();
      if (late.length > 0) await clearInput();
      await type([...late, text].join("\n\n"), { uuid, mayType: () => !turn.isRunning && !permissions.isWaiting });
    },

    async say(text) {
      if (turn.isRunning) turn.queue(text);
      await type(text, { mayType: () => !permissions.isWaiting });
    },

    async interrupt() {
      if (!turn.isRunning) return;
      isInterrupted = true;
      // A key is lost while the agent is about to draw a dialog, and just after that. After the end of the turn another one
      // would mean something else.
      for (let presses = 0; turn.isRunning && presses < mostEscapes; presses++) {
        await terminal.press("Escape");
        for (let waits = 0; turn.isRunning && waits < 8; waits++) await pause(lookEveryMs);
      }
    },

    async answer(permissionId, answer) {
      permissions.answer(permissionId, answer);
    },

    async close() {
      isClosing = true;
      fail(new Error("the session was ended"));
      await shut();
    },
  };
}

/** Agents hand their hooks to a shell. */
function hookCommandOf({ start }: WireHost, socket: string): string {
  if (!start.hookCommand) throw new Error(`no hook command was given for ${start.wire}`);
  return [...start.hookCommand, socket].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}
