/**
 * What the team knows about the files of a phase, for its prompt. It is not part of what identifies the prompt: asked again after a crash,
 * the team may know more, and the prompt is still the same one.
 *
 * - `contextForPrompt(context, snapshot)` quoted line by line, like all text of others in a prompt; empty without a brain, when it knows
 *   nothing, and when it does not answer in time.
 */
import { bestEffort } from "@devflow/core/best-effort";
import { withoutControls } from "@devflow/core/plain-text";
import type { DriverContext } from "../engine/context.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { filesInQuestion } from "./files-in-question.ts";

const limitMs = 2_000;
const mostCharacters = 5_000;

export async function contextForPrompt(context: DriverContext, snapshot: Snapshot): Promise<string> {
  const { brain, log, stopping } = context;
  if (!brain) return "";
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(limitMs)]);
  const found = await bestEffort("ask the brain about a phase", log, async () => {
    const files = await filesInQuestion(context, snapshot, signal);
    return await brain.contextFor({ repository: snapshot.run.repo_path, files }, signal);
  });
  if (!found || found.length > mostCharacters) return "";
  const lines = withoutControls(found)
    .split("\n")
    .map((line) => `> ${line}`.trimEnd());
  return ["", "## What your team knows", "", ...lines, ""].join("\n");
}
