/** `devflow brain intent infer`. */
import { inferIntent } from "@devflow/brain/intents";
import type { HandlerOf } from "@devflow/core/command";
import { changedFiles } from "./changed-files.ts";
import type { intentInferRecord } from "./commands.ts";
import { writeIntent } from "./intent.ts";
import { openBrain } from "./open-brain.ts";
import { ownIntent } from "./own-intent.ts";

export const intentInfer: HandlerOf<typeof intentInferRecord> = async ({ prompt, dryRun }, context) => {
  const brain = await openBrain(context);
  const asked = prompt === "-" ? await context.readStdin() : prompt;
  const clues = {
    branch: brain.branch,
    files: await changedFiles(brain, context),
    ...(asked === undefined ? {} : { prompt: asked }),
  };
  const inferred = inferIntent(clues);
  if (!inferred) return context.output.result({ intent: null }, "There is nothing to infer an intent from.");
  const { text, files, confidence, from } = inferred;
  const sure = `${Math.round(confidence * 100)}% sure, from the ${from.join(" and the ")}`;
  const before = await ownIntent(brain);
  if (before && before.source !== "inferred") {
    return context.output.result(
      { intent: null, inferred, kept: before.id },
      `This session has an intent that a ${before.source} wrote: ${before.text}`,
    );
  }
  if (dryRun) return context.output.result({ intent: null, inferred }, `${text} (${sure})`);
  // A less certain guess does not replace a better one.
  if (before && before.confidence > confidence)
    return context.output.result({ intent: before.id, inferred, kept: before.id }, `${before.text} (kept)`);
  const given = { text, files, features: [], decisions: [], source: "inferred", confidence } as const;
  const { id, isSent, line } = await writeIntent(brain, given, before);
  context.output.result({ intent: id, inferred, sent: isSent }, `${text} (${sure}). ${line}`);
};
