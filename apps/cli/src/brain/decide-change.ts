/** `devflow brain decide accept | reject | lift | comment`. */
import { brainDraft, type Decision } from "@devflow/brain/records";
import type { CommandHandler, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import type { decideCommentRecord } from "./decide-commands.ts";
import { decisionName } from "./decision-view.ts";
import { findDecision } from "./find-decision.ts";
import { openBrain } from "./open-brain.ts";

/** From which states each can be reached. */
const changes = {
  accepted: { from: ["proposed"], word: "accepted" },
  rejected: { from: ["proposed", "accepted"], word: "rejected" },
  expired: { from: ["proposed", "accepted"], word: "lifted" },
} as const;

export const decideChange =
  (to: keyof typeof changes): CommandHandler<{ decision: string; text?: string | undefined }> =>
  async ({ decision: ref, text }, context) => {
    const brain = await openBrain(context);
    const { decision: one } = await findDecision(brain, ref);
    const { from, word } = changes[to];
    if (!(from as readonly string[]).includes(one.state)) {
      throw new DevflowError("conflict", {
        details: {
          problem: `${decisionName(one)} "${one.title}" is ${one.state}, so it cannot be ${word}.`,
          next: `See its timeline: devflow brain decide show ${one.id}`,
        },
      });
    }
    const changed: Decision = {
      ...{ decision_id: one.id, rev: one.rev + 1, type: one.type, title: one.title, body: one.body, state: to },
      ...(one.context === null ? {} : { context: one.context }),
      ...(one.alternatives === null ? {} : { alternatives: one.alternatives }),
      ...{ files: one.files, features: one.features },
      ...(one.intent_id === null ? {} : { intent_id: one.intent_id }),
      ...(one.supersedes === null ? {} : { supersedes: one.supersedes }),
      ...(one.expires_at === null ? {} : { expires_at: one.expires_at }),
      ...(one.source_file === null ? {} : { source: { file: one.source_file, number: one.source_number } }),
      agent: brain.agent,
    };
    const about = text === undefined ? {} : { text };
    const event = brainDraft("decision_event", { decision_id: one.id, event: to, agent: brain.agent, ...about });
    const { isSent, line } = await brain.write([brainDraft("decision", changed), event]);
    context.output.result({ id: one.id, state: to, sent: isSent }, `${decisionName(one)} ${word}. ${line}`);
  };

export const decideComment: HandlerOf<typeof decideCommentRecord> = async ({ decision: ref, text }, context) => {
  const brain = await openBrain(context);
  const { decision: one } = await findDecision(brain, ref);
  const draft = brainDraft("decision_event", { decision_id: one.id, event: "commented", text, agent: brain.agent });
  const { isSent, line } = await brain.write([draft]);
  context.output.result({ id: one.id, sent: isSent }, `Comment added to ${decisionName(one)}. ${line}`);
};
