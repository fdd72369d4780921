/** `devflow brain feature tag | list`. */
import { brainDraft } from "@devflow/brain/records";
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { counted } from "../data/amounts.ts";
import { textTable } from "../text-table.ts";
import type { featureListRecord, featureTagRecord } from "./commands.ts";
import { findDecision } from "./find-decision.ts";
import { isOffline, openBrain } from "./open-brain.ts";

export const featureTag: HandlerOf<typeof featureTagRecord> = async ({ feature, file, decision }, context) => {
  if (file.length + decision.length === 0) {
    throw new DevflowError("usage", {
      details: { problem: "Nothing to tag.", next: "Name files or decisions: --file <file>, --decision <decision>" },
    });
  }
  const brain = await openBrain(context);
  const files = await Promise.all(file.map((one) => brain.pathOf(one)));
  const decisions: string[] = [];
  for (const ref of decision) decisions.push((await findDecision(brain, ref)).decision.id);
  const draft = brainDraft("feature_tag", { feature: feature.toLowerCase(), files, decisions });
  const { isSent, line } = await brain.write([draft]);
  const what = [
    ...(files.length > 0 ? [counted(files.length, "file")] : []),
    ...(decisions.length > 0 ? [counted(decisions.length, "decision")] : []),
  ];
  context.output.result(
    { feature: draft.payload.feature, files, decisions, sent: isSent },
    `${what.join(" and ")} tagged as ${draft.payload.feature}. ${line}`,
  );
};

export const featureList: HandlerOf<typeof featureListRecord> = async (_input, context) => {
  const brain = await openBrain(context);
  const answer = await brain.ask("list_features", brain.repo);
  const source = await brain.source(answer);
  const digest = isOffline(answer) ? await brain.digest() : undefined;
  const features = digest
    ? [...Map.groupBy(digest.features, ({ feature }) => feature)].map(([name, own]) => ({
        ...{ name, repo: digest.repo, files: own.length },
        decisions: digest.decisions.filter((one) => one.features.includes(name)).length,
        intents: digest.intents.filter((one) => one.features.includes(name)).length,
      }))
    : isOffline(answer)
      ? []
      : answer;
  brain.tell(source);
  const table = textTable(
    [{ title: "FEATURE" }, ...["FILES", "DECISIONS", "INTENTS"].map((title) => ({ title, align: "right" as const }))],
    features.map((one) => [one.name, String(one.files), String(one.decisions), String(one.intents)]),
  );
  const nothing = "No features yet. Tag a file: devflow brain feature tag <feature> --file <file>";
  context.output.result({ source, features }, features.length === 0 ? nothing : table);
};
