/** What the agents of a lane are asked for. Pure. */
import type { TaskRow } from "../engine/rows.ts";

export interface LaneRequest {
  readonly task: Pick<TaskRow, "task_id" | "title" | "instructions" | "write_set" | "tests" | "comment">;
  /** What the whole run was asked for. */
  readonly whole: string;
  /** Where the files that the parent's agents wrote are. */
  readonly folder: string;
  /** The worktree has earlier work of this task, with conflicts marked. */
  readonly isRebase: boolean;
}

/** The fake agent writes the files that these lines name. */
const mayWrite = "- may write ";

export function laneRequirements({ task, whole, folder, isRebase }: LaneRequest): string {
  const { task_id: id, title, instructions, write_set: writeSet, tests, comment } = task;
  const parts = [
    `# ${title}`,
    `This is the task ${id} of a larger change. Other agents work on the other tasks at the same time, in other worktrees.`,
    ...(isRebase
      ? [
          "This work was done before, but it conflicts with what other tasks have changed since. The worktree has both, and the conflicts are marked with <<<<<<<, ======= and >>>>>>>. Resolve all of them so that both changes hold, and remove the marks. Do not start over.",
        ]
      : []),
    ...(instructions ? [instructions] : []),
    ["Change these files and no others:", ...writeSet.map((pattern) => `${mayWrite}${pattern}`)].join("\n"),
    ...(tests.length > 0 ? [["Tests of this task:", ...tests.map((one) => `- ${one}`)].join("\n")] : []),
    ...(comment ? [`A person says about this task: ${comment}`] : []),
    `The specification and the task graph of the whole change are in ${folder}`,
    `The whole change was asked for like this:\n\n${whole}`,
  ];
  return parts.join("\n\n");
}
