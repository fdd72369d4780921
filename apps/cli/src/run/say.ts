/** `devflow run say`: a message to a working agent. */
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { RunDetail } from "@devflow/protocol";
import { attachFiles } from "./attach-files.ts";
import { draftsToSend } from "./drafts-to-send.ts";
import { pickActiveRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import type { runSayRecord } from "./talk-commands.ts";
import { shortId } from "./words.ts";

export const say: HandlerOf<typeof runSayRecord> = async (input, context) => {
  const { message, role, clientToken } = input;
  if (!message?.trim() && !input.withComments) {
    const next = 'Add it: devflow run say -m "Keep the old name as an alias"';
    throw new DevflowError("usage", { details: { problem: "The message is missing.", next } });
  }
  const client = await connectRuns(context);
  const run = await pickActiveRun(client, input.run, "run say", context);
  const comments = input.withComments ? await draftsToSend(client, run) : [];
  if (input.withComments && comments.length === 0 && !message?.trim()) {
    const next = `Write one: devflow run comment ${shortId(run.id)} <file>:<line> -m "…"`;
    throw new DevflowError("conflict", { details: { problem: "There are no comments to send.", next } });
  }
  const attachments = await attachFiles(client, input.attach, context);
  const body = {
    text: message ?? "",
    clientToken: clientToken ?? uuidv7(),
    ...(role === undefined ? {} : { role }),
    ...(comments.length > 0 ? { comments } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
  };
  const after = await client.post(`/api/runs/${run.id}/say`, body, RunDetail);
  context.output.result(after, `Said. Watch what the agent makes of it: devflow run watch ${shortId(run.id)}`);
};
