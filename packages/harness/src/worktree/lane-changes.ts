/**
 * What a lane changed, as git sees it.
 *
 * - `laneChanges({ repository, base, head })` every path that differs, both names of a rename, and where links point to.
 */
import { type GitOptions, git } from "@devflow/git";
import type { LaneChange } from "../lanes/index.ts";

export interface LaneRange extends Pick<GitOptions, "env" | "signal"> {
  readonly repository: string;
  /** The commit that the lane started from. */
  readonly base: string;
  readonly head: string;
}

const linkMode = "120000";

export async function laneChanges({ repository, base, head, ...rest }: LaneRange): Promise<LaneChange[]> {
  const place = { ...rest, cwd: repository };
  const { stdout } = await git(["diff-tree", "-r", "-z", "--no-renames"], { ...place, revisions: [base, head] });
  const words = stdout.split("\0");
  const changes: LaneChange[] = [];
  // `:<old mode> <new mode> <old object> <new object> <letter>`, then the path.
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [, mode = "", , object = ""] = (words[at] ?? "").split(" ");
    const link = mode === linkMode ? (await git(["cat-file", "blob", object], place)).stdout : undefined;
    changes.push({ path: words[at + 1] ?? "", link });
  }
  return changes;
}
