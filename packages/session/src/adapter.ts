/**
 * One interface for every kind of agent: the fake, one behind pipes, one in tmux.
 *
 * - `start` starts the session, or adopts the one that already runs under the same id. The session's row is written
 *   first, so a crash in between leaves no unknown agent. A process that it `replaces` is ended first, and its agent's own
 *   session goes on in the new one.
 * - `sendPrompt` delivers an envelope once: repeating a dedup key that the session has already received has no effect.
 * - `say` passes a person's message on to the agent, once per message id, whether or not it is working.
 * - `facts` reports what the agent's side channels say; `capture` returns its screen output.
 * - `probe` observes without side effects. `resume` continues an agent; `rebootstrap` replaces it with a new one.
 * - `interrupt` stops the current turn; `answerPermission` answers the agent's question; `dispose` ends it for good.
 *
 * Every verb that changes something takes a `DriverCall`: the epoch of the run's driver and a signal. A session's folder
 * refuses an epoch older than the newest it has seen (`fenced`), so a replaced driver cannot prompt.
 *
 * Rules such as "allow this for the whole run" are the engine's: an adapter only ever hears allow or deny.
 */
import type { Backend } from "@devflow/core/enums";
import type { PromptEnvelope } from "./prompt-envelope.ts";
import type { SandboxRules } from "./sandbox/sandbox-rules.ts";

export interface DriverCall {
  /** `runs.driver_epoch` as the calling driver took it. */
  readonly epoch: number;
  /** Aborts when the driver stops. */
  readonly signal: AbortSignal;
}

export interface SessionAdapter {
  start(input: StartInput, call: DriverCall): Promise<SessionHandle>;
  /**
   * Resolves once the agent has accepted the prompt, even if it has died since: the phase then asks again. Rejects with
   * `prompt_send_transient` only if the agent did not accept it.
   */
  sendPrompt(handle: SessionHandle, envelope: PromptEnvelope, call: DriverCall): Promise<{ readonly promptId: string }>;
  /** Resolves once the message is stored for the agent; a `said` fact follows when the agent has it. */
  say(handle: SessionHandle, message: SaidMessage, call: DriverCall): Promise<void>;
  probe(handle: SessionHandle, signal: AbortSignal): Promise<ProbeResult>;
  resume(handle: SessionHandle, call: DriverCall): Promise<SessionHandle>;
  rebootstrap(handle: SessionHandle, call: DriverCall): Promise<SessionHandle>;
  /** Ends when the signal aborts. */
  capture(handle: SessionHandle, afterSeq: number, signal: AbortSignal): AsyncIterable<TranscriptChunk>;
  /** Ends when the signal aborts or after an `exit` fact. */
  facts(handle: SessionHandle, afterSeq: number, signal: AbortSignal): AsyncIterable<SessionFact>;
  interrupt(handle: SessionHandle, call: DriverCall): Promise<void>;
  answerPermission(
    handle: SessionHandle,
    permissionId: string,
    answer: PermissionAnswer,
    call: DriverCall,
  ): Promise<void>;
  dispose(handle: SessionHandle, call: DriverCall): Promise<void>;
}

export interface SaidMessage {
  /** The message's own id: the same id is delivered once. */
  readonly id: string;
  readonly text: string;
}

export interface StartInput {
  /** `start` adopts the session that runs under this id. */
  readonly sessionId: string;
  /** An earlier process of this session, which must not be adopted. */
  readonly replaces?: SessionHandle | undefined;
  readonly runId: string;
  readonly roleId: string;
  readonly laneId: string;
  readonly backend: Backend;
  readonly cwd: string;
  /** The session's private folder, outside the worktree. */
  readonly folder: string;
  /** Folders outside `cwd` that the agent may write to, such as the artifacts folder. */
  readonly writableFolders: readonly string[];
  /** Set: the agent is confined to what these rules allow. */
  readonly sandbox?: SandboxRules | undefined;
  /** Names of environment variables that the repository asks for; the adapter decides which of them the agent gets. */
  readonly variables: readonly string[];
  readonly launch: LaunchOptions;
  /** Sent once per agent session, before the first envelope. */
  readonly prelude: string;
}

/** From the persona. Each adapter uses the options that its backend supports. */
export interface LaunchOptions {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly systemPrompt?: string;
  /** Whether the role may change files of the worktree. */
  readonly mayEdit: boolean;
  /** Commands that it may run without asking, as the repository's settings have them. */
  readonly allowedCommands: readonly string[];
  /** What the agent may cost at most, where it can limit itself. */
  readonly maxUsd?: number;
  /** The run's own JSON Schemas, by id, for the check of an artifact at the end of a turn. */
  readonly schemas: Readonly<Record<string, object>>;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** What an adapter needs to find its agent again. Stored in the session's row exactly as the adapter returned it. */
export interface SessionHandle {
  readonly sessionId: string;
  readonly backend: Backend;
  readonly folder: string;
  readonly pid?: number | undefined;
  readonly processIdentity?: string | undefined;
  /** The agent's own session or thread id: `resume` works even after its process has ended. */
  readonly agentSessionId?: string | undefined;
  /** Where its terminal is: `tmux -S <socket> attach -t <session>`. */
  readonly tmuxSocket?: string | undefined;
  readonly tmuxSession?: string | undefined;
}

export interface ProbeResult {
  readonly alive: boolean;
  /** The agent is in a turn. */
  readonly busy: boolean;
  readonly lastOutputAt?: Date;
  readonly hint?: string;
}

export interface TranscriptChunk {
  /** Byte offset after this chunk. */
  readonly seq: number;
  readonly content: string;
  readonly capturedAt: Date;
}

export type PermissionAnswer = "allow" | "deny";

/** How a turn ended. `failed`: the agent gave up, such as on errors of its model. */
export type TurnOutcome = "done" | "failed" | "interrupted";

/** Facts without their place in the session's order. */
export type NewFact =
  | { readonly kind: "ack"; readonly dedupKey: string }
  | { readonly kind: "said"; readonly messageId: string }
  | {
      readonly kind: "permission";
      readonly permissionId: string;
      readonly tool: string;
      readonly detail: string;
      /** What allowing this "for the run" would cover: equal texts are the same permission. Absent: only once. */
      readonly covers?: string | undefined;
    }
  | { readonly kind: "permission_answered"; readonly permissionId: string; readonly answer: PermissionAnswer }
  | {
      readonly kind: "usage";
      readonly model: string;
      /** Excluding tokens read from or written to a cache. */
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cacheReadTokens: number;
      readonly cacheWriteTokens: number;
      /** Null if the agent does not report it. */
      readonly costUsd: number | null;
    }
  /** The model's provider refuses requests; `resetAt` is when it accepts them again, if it said so. */
  | { readonly kind: "rate_limit"; readonly reason: string; readonly resetAt: string | null }
  /** Somebody types into the agent's screen; no prompt is sent meanwhile. */
  | { readonly kind: "person_typing" }
  /** A sign of life in a turn, at most one every few seconds. */
  | { readonly kind: "activity"; readonly what: string }
  | {
      readonly kind: "idle";
      readonly dedupKey: string;
      readonly outcome?: TurnOutcome | undefined;
      readonly reason?: string | undefined;
    };

export type SessionFact =
  | (NewFact & { readonly seq: number })
  | { readonly seq: number; readonly kind: "exit"; readonly code: number | null };
