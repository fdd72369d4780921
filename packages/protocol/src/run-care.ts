/** What is done with runs that have ended: `/api/runs/:id/cleanup`, `/api/runs/:id/purge` and `/api/runs/prune`. */
import { hostStates, runStates } from "@devflow/core/enums";
import { z } from "zod";

const Time = z.iso.datetime({ offset: true });
const Id = z.uuid();

/** What another machine was asked to remove of a run and its lanes, and what it has answered. */
export const RemovalElsewhere = z.object({
  host: z.string(),
  name: z.string(),
  state: z.enum(hostStates),
  /** How many runs it has something of, and for how many that is done. */
  runs: z.number().int(),
  done: z.number().int(),
  /** Why something was kept when it was asked for the last time. */
  problems: z.array(z.string()),
});
export type RemovalElsewhere = z.infer<typeof RemovalElsewhere>;

/** `POST /api/runs/:id/cleanup`: removes the worktree of an ended run. `force` requires the run's id in `confirm`. */
export const CleanupRequest = z.object({
  force: z.boolean().default(false),
  confirm: z.string().max(100).optional(),
});
export const CleanupAnswer = z.object({
  removed: z.boolean(),
  worktree: z.string(),
  branch: z.string(),
  /** The worktrees of its lanes that were removed. */
  lanes: z.array(z.string()),
  elsewhere: z.array(RemovalElsewhere),
});

/** `POST /api/runs/prune`: removes the worktrees of runs that have ended, and with `branches` their merged branches. */
export const PruneRequest = z.object({
  olderThanDays: z.number().min(0).max(36_500).default(0),
  branches: z.boolean().default(false),
  dryRun: z.boolean().default(true),
});
export const PrunedRun = z.object({
  id: Id,
  title: z.string(),
  state: z.enum(runStates),
  endedAt: Time.nullable(),
  worktree: z.string(),
  branch: z.string(),
  /** The disk that the worktree takes. */
  bytes: z.number().int(),
  /** The disk that its attachments take. */
  attachmentBytes: z.number().int(),
  /** Whether the base branch contains the run's branch; null if there is no such branch. */
  isMerged: z.boolean().nullable(),
  /** Why the worktree stays; null if it is removed. */
  kept: z.string().nullable(),
  branchRemoved: z.boolean(),
});
export type PrunedRun = z.infer<typeof PrunedRun>;
export const PruneAnswer = z.object({ dryRun: z.boolean(), runs: z.array(PrunedRun) });

/** `POST /api/runs/:id/purge`, for admins: deletes the content of a run and keeps every hash. */
export const PurgeRequest = z.object({ confirm: z.string().max(100) });
export const PurgeAnswer = z.object({
  purged: z.boolean(),
  files: z.number().int(),
  elsewhere: z.array(RemovalElsewhere),
});
