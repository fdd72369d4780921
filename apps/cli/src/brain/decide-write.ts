/** `devflow brain decide write | supersede`. */
import { brainDraft, type Decision } from "@devflow/brain/records";
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import type { decideSupersedeRecord, decideWriteRecord } from "./decide-commands.ts";
import { findDecision } from "./find-decision.ts";
import { type Brain, openBrain } from "./open-brain.ts";
import { ownIntent } from "./own-intent.ts";
import { untilOf } from "./until.ts";

export const decideWrite: HandlerOf<typeof decideWriteRecord> = async (input, context) => {
  const brain = await openBrain(context);
  const { type, proposed, expires } = input;
  await write(brain, context, {
    ...(await contentOf(brain, input, context)),
    ...{ type, state: proposed ? "proposed" : "accepted" },
    ...(expires === undefined ? {} : { expires_at: untilOf(expires, Date.now()) }),
  });
};

export const decideSupersede: HandlerOf<typeof decideSupersedeRecord> = async (input, context) => {
  const brain = await openBrain(context);
  const { decision: old } = await findDecision(brain, input.old);
  if (old.state === "superseded") {
    throw new DevflowError("conflict", {
      details: {
        problem: `"${old.title}" has been superseded already.`,
        next: `Supersede its successor: devflow brain decide show ${old.superseded_by ?? old.id}`,
      },
    });
  }
  const content = await contentOf(brain, input, context);
  await write(brain, context, {
    ...content,
    // What the old one was about, unless told otherwise.
    files: content.files.length > 0 ? content.files : old.files,
    features: content.features.length > 0 ? content.features : old.features,
    ...{ type: old.type, state: "accepted", supersedes: old.id },
  });
};

type Content = Pick<Decision, "title" | "body"> & {
  files: string[];
  features: string[];
  context?: string;
  alternatives?: string;
};

async function contentOf(
  brain: Brain,
  input: {
    readonly title: string;
    readonly body: string;
    readonly context?: string | undefined;
    readonly alternatives?: string | undefined;
    readonly file: readonly string[];
    readonly feature: readonly string[];
  },
  { readStdin }: Pick<CommandContext, "readStdin">,
): Promise<Content> {
  const { title, body, context, alternatives, file, feature } = input;
  return {
    title,
    body: body === "-" ? (await readStdin()).trim() : body,
    ...(context === undefined ? {} : { context }),
    ...(alternatives === undefined ? {} : { alternatives }),
    files: await Promise.all(file.map((one) => brain.pathOf(one))),
    features: [...feature],
  };
}

async function write(
  brain: Brain,
  { output }: Pick<CommandContext, "output">,
  content: Content & Pick<Decision, "type" | "state" | "supersedes" | "expires_at">,
): Promise<void> {
  const id = uuidv7<"decision">();
  const intent = await ownIntent(brain);
  const about = { agent: brain.agent, ...(intent ? { intent_id: intent.id } : {}) };
  const draft = brainDraft("decision", { decision_id: id, rev: 1, ...content, ...about });
  const { isSent, line } = await brain.write([draft]);
  const words = { decision: "Decision", learning: "Learning", freeze: "Freeze" } as const;
  output.result(
    { id, type: draft.payload.type, state: draft.payload.state, title: draft.payload.title, sent: isSent },
    `${words[draft.payload.type]} ${id.slice(-8)} recorded. ${line}`,
  );
}
