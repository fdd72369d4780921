/**
 * One interface for every kind of agent: the fake, one in tmux, one headless.
 *
 * - `start` starts the session, or adopts the one that already runs under the same id. The session's row is written
 *   first, so a crash in between leaves nothing unknown behind.
 * - `sendPrompt` delivers an envelope once: a dedup key that the session has already received succeeds without effect.
 * - `facts` reports what the agent's own side channels say; `capture` what its screen said.
 * - `probe` observes without disturbing. `resume` continues an agent; `rebootstrap` starts a new one in its place.
 * - `interrupt` stops the current turn; `answerPermission` answers what the agent asked; `dispose` ends it for good.
 *
 * Every verb that changes something takes a `DriverCall`: the epoch of the run's driver and a signal. A session's
 * folder refuses an epoch older than the newest it has seen (`fenced`), so a driver that was replaced cannot prompt.
 */
import type { Backend } from "@devflow/core/enums";
import type { PromptEnvelope } from "./prompt-envelope.ts";

export interface DriverCall {
  /** `runs.driver_epoch` as the calling driver took it. */
  readonly epoch: number;
  /** Aborts when the driver stops. */
  readonly signal: AbortSignal;
}

export interface SessionAdapter {
  start(input: StartInput, call: DriverCall): Promise<SessionHandle>;
  sendPrompt(handle: SessionHandle, envelope: PromptEnvelope, call: DriverCall): Promise<{ readonly promptId: string }>;
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

export interface StartInput {
  /** `start` adopts what runs under it. */
  readonly sessionId: string;
  readonly runId: string;
  readonly roleId: string;
  readonly laneId: string;
  readonly backend: Backend;
  readonly cwd: string;
  /** The session's own private folder, outside of the worktree. */
  readonly folder: string;
  /** Folders outside of `cwd` that the agent may write to: where artifacts go. */
  readonly writableFolders: readonly string[];
  readonly launch: LaunchOptions;
  /** Sent once, before the first envelope. */
  readonly prelude: string;
}

/** From the persona. Each adapter uses the options that its backend knows. */
export interface LaunchOptions {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly systemPrompt?: string;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** What an adapter needs to find its agent again. Stored whole in the session's row, as the adapter returned it. */
export interface SessionHandle {
  readonly sessionId: string;
  readonly backend: Backend;
  readonly folder: string;
  readonly pid?: number | undefined;
  readonly processIdentity?: string | undefined;
  /** The agent's own session or thread id: `resume` works after its process is gone. */
  readonly agentSessionId?: string | undefined;
  readonly tmuxSession?: string | undefined;
  readonly tmuxWindow?: string | undefined;
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

export type SessionFact =
  | { readonly seq: number; readonly kind: "ack"; readonly dedupKey: string }
  | {
      readonly seq: number;
      readonly kind: "permission";
      readonly permissionId: string;
      readonly tool: string;
      readonly detail: string;
    }
  | {
      readonly seq: number;
      readonly kind: "permission_answered";
      readonly permissionId: string;
      readonly answer: PermissionAnswer;
    }
  | {
      readonly seq: number;
      readonly kind: "usage";
      readonly model: string;
      /** Without what was read from or written to a cache. */
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cacheReadTokens: number;
      readonly cacheWriteTokens: number;
      /** Null where the agent does not say. */
      readonly costUsd: number | null;
    }
  | { readonly seq: number; readonly kind: "idle"; readonly dedupKey: string }
  | { readonly seq: number; readonly kind: "exit"; readonly code: number | null };
