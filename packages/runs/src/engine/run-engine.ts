/**
 * The operations on runs. The verbs are the same over every driver (`createRunEngine`).
 *
 * - `startRun` creates the run and starts it, or queues it. The same client token gives the same run.
 * - `forkRun` the same from the state before a phase of another run.
 * - `previewRun` which persona would play which role, and why the others would not; writes nothing.
 * - `decide` one verdict on one gate: a new one, the same again, or a conflict.
 * - `pauseRun`, `resumeRun`, `abortRun` from any state. Their tokens make a retry harmless.
 * - `waiveFinding` a person lets a finding stand, with a reason.
 * - `adoptRun` takes over a run of a machine that is gone, or ends it.
 * - `answerPermission` a person's answer to a permission that an agent asked for.
 * - `say` a person's message to a working agent, with the drafts of comments if they are to go with it.
 * - `commentOnRun`, `editComment`, `removeComment` drafts about lines of the diff.
 * - `keepUpload` a file that a person wants to attach to something.
 *
 * Every verb only commits the request; the run's driver acts on it.
 */
import type { RunState, Verdict } from "@devflow/core/enums";
import type { AttachmentView } from "@devflow/protocol";
import type { GivenFile } from "../attachments/keep-upload.ts";
import type { BindingOverride, BindResult } from "../binding/bind.ts";
import type { GivenComment } from "../comments/comment-on-run.ts";
import type { SeenComment } from "../comments/comment-repository.ts";
import type { Actor } from "../events/actor.ts";
import type { ForkInput } from "../fork/fork-run.ts";
import type { VisibleRun } from "../views/index.ts";
import type { AdoptOptions } from "./adopt-run.ts";
import type { GivenAnswer } from "./answer-permission.ts";
import type { GivenMessage } from "./say.ts";
import type { GivenWaiver } from "./waive-finding.ts";

export interface RunStartInput {
  readonly teamId: string;
  /** `name@version`, or a name for its newest version. */
  readonly template: string;
  readonly repository: string;
  readonly baseBranch?: string | undefined;
  readonly title?: string | undefined;
  readonly requirements: string;
  readonly objective?: unknown;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  readonly overrides?: Readonly<Record<string, BindingOverride>> | undefined;
  /** What its agents may use before a person is asked. */
  readonly maxUsd?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** The machine, or a label of machines, that it goes to; by default this one. */
  readonly on?: string | undefined;
  /** Wait for a slot instead of being refused. */
  readonly queue?: boolean | undefined;
  /** Uploads of the same person. */
  readonly attachments?: readonly string[] | undefined;
  /** A retried start with the same token is the same run. */
  readonly clientToken: string;
}

export interface StartedRun {
  readonly runId: string;
  readonly state: RunState;
  readonly queued: boolean;
  /** False when the token had already started it. */
  readonly created: boolean;
  /** Other active runs on the same base branch: allowed, but worth knowing. */
  readonly overlaps: readonly string[];
}

export interface DecisionInput {
  readonly verdict: Verdict;
  readonly clientToken: string;
  readonly comment?: string | undefined;
  /** At a gate that offers a choice; by default the first. */
  readonly choice?: string | undefined;
  /** Drafts that go with a request for changes. */
  readonly comments?: readonly SeenComment[] | undefined;
  /** The epoch of the gate that the person saw; a verdict on an earlier one is refused. */
  readonly epoch?: number | undefined;
}

export interface Decision {
  readonly id: string;
  readonly approvalId: string;
  readonly runId: string;
  readonly verdict: Verdict;
  readonly comment: string | null;
  readonly actor: Actor;
  readonly decidedAt: string;
  /** False: the same token had already decided the same. */
  readonly created: boolean;
}

export interface RunStatus {
  readonly runId: string;
  readonly state: RunState;
  readonly phase: string | undefined;
  readonly attempt: number;
  readonly eventSeq: number;
}

export interface RunEngine {
  startRun(input: RunStartInput, actor: Actor): Promise<StartedRun>;
  forkRun(input: ForkInput, actor: Actor): Promise<StartedRun>;
  previewRun(input: RunStartInput): Promise<BindResult>;
  decide(approvalId: string, input: DecisionInput, actor: Actor): Promise<Decision>;
  pauseRun(
    runId: string,
    options: { readonly clientToken: string; readonly hard?: boolean },
    actor: Actor,
  ): Promise<void>;
  resumeRun(runId: string, options: { readonly clientToken: string }, actor: Actor): Promise<void>;
  abortRun(runId: string, options: { readonly reason: string }, actor: Actor): Promise<void>;
  waiveFinding(waiver: GivenWaiver, actor: Actor): Promise<void>;
  adoptRun(runId: string, options: AdoptOptions, actor: Actor): Promise<void>;
  answerPermission(given: GivenAnswer, actor: Actor): Promise<void>;
  /** Passed on to the agent of a role, or to the only one at work. The same token says it once. */
  say(runId: string, message: GivenMessage, actor: Actor): Promise<void>;
  commentOnRun(run: VisibleRun, given: GivenComment, actor: Actor): Promise<string>;
  editComment(
    runId: string,
    commentId: string,
    given: { readonly text: string; readonly revision: number },
    actor: Actor,
  ): Promise<void>;
  removeComment(
    run: VisibleRun,
    commentId: string,
    options: { readonly mayRemoveAny: boolean },
    actor: Actor,
  ): Promise<void>;
  keepUpload(given: GivenFile, actor: Actor): Promise<AttachmentView>;
  getStatus(runId: string): Promise<RunStatus>;
  /** Resumes every unfinished run of this machine. */
  start(): Promise<void>;
  /** No new prompts; releases everything; sessions keep running. */
  stop(): Promise<void>;
}
