/** `devflow run say`: a message to a working agent. */
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { RunDetail } from "@devflow/protocol";
import type { runSayRecord } from "./commands.ts";
import { pickActiveRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { shortId } from "./words.ts";

export const say: HandlerOf<typeof runSayRecord> = async ({ run: given, message, role, clientToken }, context) => {
  if (!message?.trim()) {
    const next = 'Add it: devflow run say -m "Keep the old name as an alias"';
    throw new DevflowError("usage", { details: { problem: "The message is missing.", next } });
  }
  const client = await connectRuns(context);
  const run = await pickActiveRun(client, given, "run say", context);
  const body = { text: message, clientToken: clientToken ?? uuidv7(), ...(role === undefined ? {} : { role }) };
  const after = await client.post(`/api/runs/${run.id}/say`, body, RunDetail);
  context.output.result(after, `Said. Watch what the agent makes of it: devflow run watch ${shortId(run.id)}`);
};
