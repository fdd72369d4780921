/**
 * A wire is how a holder speaks with one kind of agent: Claude Code behind pipes, Codex's app server, a TUI in tmux, ACP.
 *
 * - `open` starts the agent, continues its session if it has one, or finds it still running (`adopted`).
 * - `wasReceived` whether the agent's own history has this prompt; asked after a crash in the middle of a delivery.
 * - `prompt` resolves once the agent itself has confirmed the prompt; `say` likewise for a person's message.
 * - `interrupt` ends the turn; its end is reported to the host. `answer` answers a permission request.
 * - `close` ends the agent, and resolves when none of its processes is left.
 *
 * Everything that happens by itself is told to the `WireHost`. After `ended`, nothing more is told.
 */
import type { PermissionAnswer, SessionFact, SessionHandle, TurnOutcome } from "../adapter.ts";
import type { HeldStart } from "./held-start.ts";

export interface Wire {
  open(): Promise<OpenedAgent>;
  wasReceived(uuid: string): Promise<boolean>;
  prompt(text: string, uuid: string): Promise<void>;
  say(text: string): Promise<void>;
  interrupt(): Promise<void>;
  answer(permissionId: string, answer: PermissionAnswer): Promise<void>;
  close(): Promise<void>;
}

export interface OpenedAgent {
  /** The agent's own session or thread id, if it is known from the start. */
  readonly agentSessionId?: string | undefined;
  /** It was still running, and may be in a turn; otherwise, how its last turn ended. */
  readonly adopted?: { readonly isBusy: boolean; readonly outcome?: TurnOutcome | undefined } | undefined;
  /** For an agent in a terminal: what `SessionHandle` needs so that a person can attach. */
  readonly terminal?: Pick<SessionHandle, "tmuxSocket" | "tmuxSession"> | undefined;
}

type Permission = Omit<Extract<SessionFact, { kind: "permission" }>, "seq" | "kind">;
type Usage = Omit<Extract<SessionFact, { kind: "usage" }>, "seq" | "kind">;

export interface WireHost {
  /** Where the session stands: `sessionFolder(root)`. */
  readonly root: string;
  readonly start: HeldStart;
  readonly env: Readonly<Record<string, string>>;
  /** From an earlier process of this session: continue it. */
  readonly agentSessionId: string | undefined;
  /** The agent's id became known, or changed. */
  identified(agentSessionId: string): void;
  /** Kept, so that a later holder can find or end this process. */
  started(pid: number): void;
  turnEnded(outcome: TurnOutcome, reason?: string): void;
  /** Asked when the agent wants to end its turn: the words that hold it, or undefined when it may. */
  mayEndTurn(): Promise<string | undefined>;
  permission(asked: Permission): void;
  /** The agent no longer waits for this answer. */
  permissionGone(permissionId: string): void;
  usage(used: Usage): void;
  rateLimited(reason: string, resetAt: Date | undefined): void;
  personTyping(): void;
  activity(what: string): void;
  /** One or more lines for the transcript. */
  output(text: string): void;
  /** The agent is gone, and nobody asked it to go. */
  ended(reason: string): void;
}

export type MakeWire = (host: WireHost) => Wire;
