/** `devflow brain decide search | show | list`. */
import { type LocalDecision, searchDecisions } from "@devflow/brain/decisions";
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { shortLine } from "@devflow/core/plain-text";
import type { decideListRecord, decideSearchRecord, decideShowRecord } from "./decide-commands.ts";
import { decisionLines, decisionName, decisionPage, stateWords } from "./decision-view.ts";
import { findDecision, localDecisions } from "./find-decision.ts";
import { isOffline, openBrain } from "./open-brain.ts";

export const decideSearch: HandlerOf<typeof decideSearchRecord> = async (input, context) => {
  const { query: words, file, feature: features, type, all, everywhere, limit } = input;
  const query = words.join(" ");
  if (query.trim() === "" && file.length + features.length === 0) {
    throw new DevflowError("usage", {
      details: {
        problem: "Nothing to search for.",
        next: "Give words, --file or --feature. For all of them: devflow brain decide list",
      },
    });
  }
  const brain = await openBrain(context);
  const files = await Promise.all(file.map((one) => brain.pathOf(one)));
  const answer = await brain.ask("search_decisions", {
    ...{ query, files, features, max_rows: limit },
    ...(everywhere ? {} : brain.repo),
    ...(type === undefined ? {} : { types: [type] }),
    ...(all ? { states: null } : {}),
  });
  const source = await brain.source(answer);
  const scope = { files, features, all, limit, ...(type === undefined ? {} : { types: [type] }) };
  const results = isOffline(answer) ? searchDecisions(await localDecisions(brain), query, scope) : answer;
  brain.tell(source);
  const text = results.map((one) =>
    [
      `${decisionName(one)} ${shortLine(one.title, 120)}  (${one.type}, ${stateWords(one)}, ${one.created_at.slice(0, 10)})`,
      ...(one.excerpt.trim() ? [`    ${shortLine(one.excerpt, 160)}`] : []),
      `    found: ${shortLine(one.reasons.join("; "), 160)}`,
    ].join("\n"),
  );
  context.output.result({ source, results }, text.length === 0 ? "No decision was found." : text.join("\n"));
};

export const decideShow: HandlerOf<typeof decideShowRecord> = async ({ decision: ref }, context) => {
  const brain = await openBrain(context);
  const { decision, source } = await findDecision(brain, ref);
  brain.tell(source);
  context.output.result({ source, decision }, decisionPage(decision));
};

export const decideList: HandlerOf<typeof decideListRecord> = async (input, context) => {
  const { type, feature, all, everywhere, limit } = input;
  const brain = await openBrain(context);
  const file = input.file === undefined ? undefined : await brain.pathOf(input.file);
  const answer = await brain.ask("list_decisions", {
    ...{ max_rows: limit },
    ...(everywhere ? {} : brain.repo),
    ...(type === undefined ? {} : { types: [type] }),
    ...(feature === undefined ? {} : { feature }),
    ...(file === undefined ? {} : { file }),
    ...(all ? { states: null } : {}),
  });
  const source = await brain.source(answer);
  const isWanted = (one: LocalDecision) =>
    (all || one.state === "accepted" || one.state === "proposed") &&
    (type === undefined || one.type === type) &&
    (feature === undefined || one.features.includes(feature)) &&
    (file === undefined || one.files.includes(file));
  const decisions = isOffline(answer) ? (await localDecisions(brain)).filter(isWanted).slice(0, limit) : answer;
  brain.tell(source);
  const nothing = 'No decision was recorded yet. Record one: devflow brain decide write "<title>"';
  context.output.result({ source, decisions }, decisions.length === 0 ? nothing : decisionLines(decisions));
};
