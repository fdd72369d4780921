/** Changes or removes a draft: `changeDraft` gives it another text, `removeDraft` removes it with its files. */
import { rm } from "node:fs/promises";
import { DevflowError } from "@devflow/core/errors";
import { attachmentPath, uploadPath } from "../attachments/attachment-file.ts";
import { change, type EngineContext } from "../engine/context.ts";
import type { Actor } from "../events/actor.ts";
import type { VisibleRun } from "../views/index.ts";
import { editComment, removeComment } from "./comment-repository.ts";

export async function changeDraft(
  context: EngineContext,
  { runId, commentId }: { readonly runId: string; readonly commentId: string },
  given: { readonly text: string; readonly revision: number },
  actor: Actor,
): Promise<void> {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
  await change(
    context,
    runId,
    async (fact) => {
      await editComment(fact, commentId, given);
      fact.touch();
    },
    actor,
  );
}

export async function removeDraft(
  context: EngineContext,
  { id: runId, folder }: VisibleRun,
  commentId: string,
  options: { readonly mayRemoveAny: boolean },
  actor: Actor,
): Promise<void> {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
  const files = await change(
    context,
    runId,
    async (fact) => {
      fact.touch();
      return await removeComment(fact, commentId, options);
    },
    actor,
  );
  for (const one of files) {
    await rm(attachmentPath(folder, one), { force: true });
    await rm(uploadPath(context.home, one.id), { force: true });
  }
}
