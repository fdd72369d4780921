/**
 * One way to drive an agent, whatever it is: the fake, one in tmux, one headless. Frozen: engines and adapters of later
 * versions meet here.
 *
 * - `start` brings the session up, or adopts the one that already runs under the same id: the id is derived from run,
 *   role and lane, so a crash between start and record leaves nothing behind.
 * - `sendPrompt` delivers an envelope once: a dedup key that the session has received before is a success without effect.
 * - `facts` tells what the agent's own side channels say; `capture` what its screen said.
 * - `probe` looks without disturbing. `resume` takes an agent up where it was; `rebootstrap` begins a new one.
 * - `interrupt` stops the current turn; `answerPermission` answers what the agent asked; `dispose` ends it for good.
 */
import type { Backend } from "@devflow/core/enums";
import type { PromptEnvelope } from "./prompt-envelope.ts";

export interface SessionAdapter {
  start(input: StartInput): Promise<SessionHandle>;
  sendPrompt(handle: SessionHandle, envelope: PromptEnvelope): Promise<{ readonly promptId: string }>;
  probe(handle: SessionHandle): Promise<ProbeResult>;
  resume(handle: SessionHandle): Promise<SessionHandle>;
  rebootstrap(handle: SessionHandle): Promise<SessionHandle>;
  /** Ends when the signal aborts. */
  capture(handle: SessionHandle, afterSeq: number, signal: AbortSignal): AsyncIterable<TranscriptChunk>;
  /** Ends when the signal aborts or after an `exit` fact. */
  facts(handle: SessionHandle, afterSeq: number, signal: AbortSignal): AsyncIterable<SessionFact>;
  interrupt(handle: SessionHandle): Promise<void>;
  answerPermission(handle: SessionHandle, permissionId: string, answer: PermissionAnswer): Promise<void>;
  dispose(handle: SessionHandle): Promise<void>;
}

export interface StartInput {
  /** Derived from run, role and lane; `start` adopts what runs under it. */
  readonly sessionId: string;
  readonly runId: string;
  readonly roleId: string;
  readonly laneId: string;
  readonly backend: Backend;
  readonly cwd: string;
  /** A private folder of this session, outside of the worktree. */
  readonly folder: string;
  /** Folders outside of `cwd` that the agent may write to: where artifacts go. */
  readonly writableFolders: readonly string[];
  readonly launch: LaunchOptions;
  /** Sent once, before the first envelope. */
  readonly prelude: string;
}

/** From the persona. Which of them a backend knows is the adapter's matter. */
export interface LaunchOptions {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly systemPrompt?: string;
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface SessionHandle {
  readonly sessionId: string;
  readonly backend: Backend;
  readonly folder: string;
  readonly pid?: number;
  readonly processIdentity?: string;
  readonly agentSessionId?: string;
  readonly tmuxSession?: string;
  readonly tmuxWindow?: string;
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
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cachedTokens: number;
      readonly costUsd: number | null;
    }
  | { readonly seq: number; readonly kind: "idle"; readonly dedupKey: string }
  | { readonly seq: number; readonly kind: "exit"; readonly code: number | null };
