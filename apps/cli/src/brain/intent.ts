/**
 * `devflow brain intent get | write | ship | abandon | list`.
 *
 * - `writeIntent(brain, given)` the next revision of an intent, or a new one; for `intent infer` too.
 */
import { note } from "@devflow/brain/hooks";
import { brainDraft, type Intent } from "@devflow/brain/records";
import type { CommandHandler, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { shortLine } from "@devflow/core/plain-text";
import type { IntentRow } from "@devflow/protocol";
import { duration } from "../data/amounts.ts";
import { textTable } from "../text-table.ts";
import type { intentGetRecord, intentListRecord, intentWriteRecord } from "./commands.ts";
import { findDecision } from "./find-decision.ts";
import { type Brain, isOffline, openBrain } from "./open-brain.ts";
import { ownIntent } from "./own-intent.ts";

export const intentGet: HandlerOf<typeof intentGetRecord> = async (_input, context) => {
  const intent = await ownIntent(await openBrain(context));
  const text = intent
    ? `${intent.text}\n${[intent.source === "inferred" ? `inferred, ${Math.round(intent.confidence * 100)}% sure` : `by a ${intent.source}`, ...(intent.branch ? [`branch ${intent.branch}`] : []), ...(intent.files.length > 0 ? [`files ${intent.files.join(", ")}`] : [])].join("; ")}`
    : 'This session has no intent. Write one: devflow brain intent write "<text>"';
  context.output.result({ intent: intent ?? null }, text);
};

export const intentWrite: HandlerOf<typeof intentWriteRecord> = async (input, context) => {
  const brain = await openBrain(context);
  const files = await Promise.all(input.file.map((one) => brain.pathOf(one)));
  const decisions: string[] = [];
  for (const ref of input.decision) decisions.push((await findDecision(brain, ref)).decision.id);
  const before = input.new ? undefined : await ownIntent(brain);
  const given = {
    text: input.text,
    files,
    features: input.feature,
    decisions,
    source: "person",
    confidence: 1,
  } as const;
  const { id, isSent, line } = await writeIntent(brain, given, before);
  const what = before ? "Intent changed" : `Intent ${id.slice(-8)} recorded`;
  context.output.result({ id, changed: before !== undefined, sent: isSent }, `${what}. ${line}`);
};

export type GivenIntent = Pick<Intent, "text" | "source" | "confidence"> & {
  readonly files: readonly string[];
  readonly features: readonly string[];
  readonly decisions: readonly string[];
  readonly state?: Intent["state"];
};

export async function writeIntent(
  brain: Brain,
  { state = "active", text, source, confidence, files, features, decisions }: GivenIntent,
  before: IntentRow | undefined,
): Promise<{ id: string; isSent: boolean; line: string }> {
  const id = before?.id ?? uuidv7<"intent">();
  const draft = brainDraft("intent", {
    ...{
      intent_id: id,
      rev: (before?.rev ?? 0) + 1,
      agent: brain.agent,
      state,
      branch: before?.branch ?? brain.branch,
    },
    ...{ text, source, confidence, files: [...files], features: [...features], decisions: [...decisions] },
  });
  const written = await brain.write([draft]);
  noteForHooks(brain, draft.payload);
  return { id, ...written };
}

/** Hooks of the same session name it in the edits that follow, and infer no other one. */
function noteForHooks({ agent, home }: Brain, { intent_id: id, rev, text, confidence, source, state }: Intent): void {
  if (agent.host === "terminal") return;
  const about = { id, rev, text, confidence, source: source === "person" ? "person" : "inferred" } as const;
  note(home.root, agent.id, { is: "intent", ...about, ...(state === "active" ? {} : { isOver: true }) });
}

const end =
  (state: "shipped" | "abandoned"): CommandHandler<{ intent?: string | undefined }> =>
  async ({ intent: ref }, context) => {
    const brain = await openBrain(context);
    const intent = await chosenIntent(brain, ref);
    const { isSent, line } = await writeIntent(brain, { ...intent, state }, intent);
    context.output.result({ id: intent.id, state, sent: isSent }, `"${shortLine(intent.text, 100)}" ${state}. ${line}`);
  };
export const intentShip = end("shipped");
export const intentAbandon = end("abandoned");

async function chosenIntent(brain: Brain, ref: string | undefined): Promise<IntentRow> {
  const next = "See them: devflow brain intent list";
  if (ref === undefined) {
    const own = await ownIntent(brain);
    if (own) return own;
    throw new DevflowError("not_found", { details: { what: "An intent of this session", next } });
  }
  const { intents } = await brain.digest();
  const found = intents.filter(({ id }) => id === ref.toLowerCase() || id.endsWith(ref.toLowerCase()));
  if (found.length === 1 && found[0]) return found[0];
  throw new DevflowError("not_found", { details: { what: `One active intent ${ref}`, next } });
}

export const intentList: HandlerOf<typeof intentListRecord> = async ({ all, limit }, context) => {
  const brain = await openBrain(context);
  const states = all ? {} : { states: ["active"] };
  const answer = await brain.ask("list_intents", { ...brain.repo, ...states, max_rows: limit });
  const source = await brain.source(answer);
  const intents = isOffline(answer) ? (await brain.digest()).intents.slice(0, limit) : answer;
  brain.tell(source);
  const nowMs = Date.now();
  const table = textTable(
    ["INTENT", "WHAT", "WHO", "STATE", "BRANCH", "CHANGED"].map((title) => ({ title })),
    intents.map((one) => [
      one.id.slice(-8),
      shortLine(one.text, 60),
      shortLine(one.user_name, 24),
      one.source === "inferred" ? `${one.state}, inferred (${Math.round(one.confidence * 100)}%)` : one.state,
      shortLine(one.branch ?? "", 30),
      `${duration(nowMs - Date.parse(one.updated_at))} ago`,
    ]),
  );
  context.output.result({ source, intents }, intents.length === 0 ? "No intents." : table);
};
