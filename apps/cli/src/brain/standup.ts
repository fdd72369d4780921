/** `devflow brain standup`. */
import type { HandlerOf } from "@devflow/core/command";
import { shortLine } from "@devflow/core/plain-text";
import type { StandupRow } from "@devflow/protocol";
import { counted } from "../data/amounts.ts";
import { sinceOf } from "../eval/since.ts";
import type { standupRecord } from "./commands.ts";
import { decisionName } from "./decision-view.ts";
import { type Brain, isOffline, openBrain } from "./open-brain.ts";

export const brainStandup: HandlerOf<typeof standupRecord> = async ({ since: words, everywhere }, context) => {
  const since = sinceOf(words, Date.now());
  const brain = await openBrain(context);
  const answer = await brain.ask("standup", { since, ...(everywhere ? {} : brain.repo) });
  const source = await brain.source(answer);
  const people = isOffline(answer) ? await fromDigest(brain, since) : answer;
  brain.tell(source);
  const text = people.map(view).join("\n\n");
  context.output.result({ source, since, people }, text === "" ? "Nobody recorded anything in that time." : text);
};

/** Without the server: what the digest has, by person. */
async function fromDigest(brain: Brain, since: string): Promise<StandupRow[]> {
  const digest = await brain.digest();
  const people = new Map<string, StandupRow>();
  const of = (row: { readonly user_id: string; readonly user_name: string }) => {
    const known = people.get(row.user_id) ?? {
      ...{
        user_id: row.user_id,
        user_name: row.user_name,
        edits: 0,
        files: 0,
        intents: [],
        decisions: [],
        handoffs: [],
        ships: [],
      },
    };
    people.set(row.user_id, known);
    return known;
  };
  const isNew = (at: string) => Date.parse(at) >= Date.parse(since);
  for (const row of digest.intents) if (isNew(row.updated_at)) of(row).intents.push(row);
  for (const row of digest.decisions) if (isNew(row.created_at)) of(row).decisions.push(row);
  for (const row of digest.handoffs) if (isNew(row.at)) of(row).handoffs.push(row);
  for (const row of digest.edits) {
    if (!isNew(row.at)) continue;
    const one = of(row);
    one.edits += row.edits;
    one.files += 1;
  }
  return [...people.values()].sort((a, b) => (a.user_name < b.user_name ? -1 : 1));
}

function view({ user_name, edits, files, intents, decisions, handoffs, ships }: StandupRow): string {
  const done = intents.filter(({ state }) => state === "shipped");
  const open = intents.filter(({ state }) => state === "active");
  const dropped = intents.filter(({ state }) => state === "abandoned");
  const lines = [
    ...ships.map((one) => `shipped ${shortLine(one.version, 40)} from ${shortLine(one.branch, 60)}`),
    ...done.map((one) => `done: ${shortLine(one.text, 100)}`),
    ...open.map((one) => `at work: ${shortLine(one.text, 100)}${one.branch ? ` [${shortLine(one.branch, 40)}]` : ""}`),
    ...dropped.map((one) => `given up: ${shortLine(one.text, 100)}`),
    ...decisions.map((one) => `${one.type} ${decisionName(one)}: ${shortLine(one.title, 100)}`),
    ...handoffs.slice(0, 3).map((one) => `handed over: ${shortLine(one.text, 100)}`),
    ...(edits > 0 ? [`${counted(edits, "edit")} by agents in ${counted(files, "file")}`] : []),
  ];
  return [shortLine(user_name, 60), ...lines.map((line) => `  ${line}`)].join("\n");
}
