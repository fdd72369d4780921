/** The brain's rows, as the data plane gives them out. What is in the records behind them: `packages/brain/src/records`. */
import { z } from "zod";

const Id = z.uuid();
const Time = z.iso.datetime({ offset: true });
const Paths = z.array(z.string());
const Lines = z.array(z.tuple([z.number().int(), z.number().int()]));

export const PresenceRow = z.object({
  user_id: Id,
  user_name: z.string(),
  agent_id: Id,
  host: z.string(),
  machine: z.string(),
  handle: z.string().nullable(),
  model: z.string().nullable(),
  repo: z.string().nullable(),
  intent_text: z.string().nullable(),
  branch: z.string().nullable(),
  files: Paths,
  state: z.enum(["working", "waiting", "idle"]),
  /** When it came. */
  since: Time,
  at: Time,
});
export type PresenceRow = z.infer<typeof PresenceRow>;

export const IntentRow = z.object({
  id: Id,
  rev: z.number().int(),
  repo: z.string().nullable(),
  user_id: Id,
  user_name: z.string(),
  agent_id: Id,
  host: z.string().nullable(),
  handle: z.string().nullable(),
  state: z.enum(["active", "shipped", "abandoned"]),
  text: z.string(),
  branch: z.string().nullable(),
  source: z.enum(["person", "inferred", "run"]),
  confidence: z.number(),
  files: Paths,
  features: z.array(z.string()),
  decisions: z.array(Id),
  created_at: Time,
  updated_at: Time,
});
export type IntentRow = z.infer<typeof IntentRow>;

const decisionStates = ["proposed", "accepted", "superseded", "rejected", "expired"] as const;
const decisionTypes = ["decision", "learning", "freeze"] as const;

export const DecisionRow = z.object({
  id: Id,
  rev: z.number().int(),
  /** Of its repository, given out by the server. */
  number: z.number().int().nullable(),
  repo: z.string().nullable(),
  type: z.enum(decisionTypes),
  title: z.string(),
  /** What it is now: another decision may have replaced it, and its time may be over. */
  state: z.enum(decisionStates),
  excerpt: z.string(),
  user_id: Id,
  user_name: z.string(),
  agent_id: Id.nullable(),
  files: Paths,
  features: z.array(z.string()),
  supersedes: Id.nullable(),
  superseded_by: Id.nullable(),
  intent_id: Id.nullable(),
  expires_at: Time.nullable(),
  source_file: z.string().nullable(),
  source_number: z.number().int().nullable(),
  created_at: Time,
  updated_at: Time,
});
export type DecisionRow = z.infer<typeof DecisionRow>;

/** With the reasons why it was found. */
export const FoundDecision = DecisionRow.extend({ score: z.number(), reasons: z.array(z.string()) });
export type FoundDecision = z.infer<typeof FoundDecision>;

export const DecisionDetail = DecisionRow.extend({
  body: z.string(),
  context: z.string().nullable(),
  alternatives: z.string().nullable(),
  timeline: z.array(
    z.object({ event: z.string(), text: z.string().nullable(), user_name: z.string().nullable(), at: Time }),
  ),
  intents: z.array(IntentRow),
});
export type DecisionDetail = z.infer<typeof DecisionDetail>;

export const HandoffRow = z.object({
  id: Id,
  repo: z.string().nullable(),
  user_id: Id,
  user_name: z.string(),
  agent_id: Id,
  intent_id: Id.nullable(),
  text: z.string(),
  branch: z.string().nullable(),
  to: z.string().nullable(),
  source: z.enum(["person", "auto", "run"]),
  files: Paths,
  at: Time,
});
export type HandoffRow = z.infer<typeof HandoffRow>;

export const FeatureRow = z.object({
  name: z.string(),
  repo: z.string().nullable(),
  files: z.number().int(),
  decisions: z.number().int(),
  /** Active ones. */
  intents: z.number().int(),
});
export type FeatureRow = z.infer<typeof FeatureRow>;

export const HotFile = z.object({
  file: z.string(),
  repo: z.string(),
  edits: z.number().int(),
  people: z.number().int(),
  agents: z.number().int(),
  /** Active ones that touch it. */
  intents: z.number().int(),
  features: z.array(z.string()),
  last_at: Time,
});
export type HotFile = z.infer<typeof HotFile>;

const how = { how: z.string() };
const WhyEdit = z.object({
  id: Id,
  file: z.string(),
  at: Time,
  user_id: Id,
  user_name: z.string(),
  agent_id: Id,
  host: z.string().nullable(),
  tool: z.string(),
  via: z.string(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  intent_id: Id.nullable(),
  run_id: Id.nullable(),
  prompt: z.string().nullable(),
  lines: Lines,
  confidence: z.number(),
  ...how,
});

/** Each part says in `how` why it belongs to the line. */
export const WhyAnswer = z.object({
  edits: z.array(WhyEdit),
  intents: z.array(IntentRow.extend(how)),
  runs: z.array(
    z.object({
      id: Id,
      title: z.string().nullable(),
      state: z.string().nullable(),
      at: Time.nullable(),
      gates: z.array(
        z.object({
          gate: z.string(),
          state: z.string(),
          at: Time,
          comment: z.string().nullable(),
          by: z.string().nullable(),
        }),
      ),
      ...how,
    }),
  ),
  decisions: z.array(DecisionRow.extend(how)),
  findings: z.array(
    z.object({
      id: Id,
      run_id: Id,
      severity: z.string(),
      category: z.string(),
      summary: z.string(),
      line: z.number().int().nullable(),
      status: z.string(),
      resolved: z.boolean(),
      reviewer: z.string(),
      at: Time,
      ...how,
    }),
  ),
  evals: z.array(
    z.object({
      id: Id,
      suite: z.string(),
      passed: z.number().int(),
      total: z.number().int(),
      at: Time,
      branch: z.string().nullable(),
      ...how,
    }),
  ),
  ships: z.array(
    z.object({
      id: Id,
      version: z.string(),
      branch: z.string(),
      pr_url: z.string().nullable(),
      at: Time,
      user_name: z.string(),
      ...how,
    }),
  ),
});
export type WhyAnswer = z.infer<typeof WhyAnswer>;

export const FileStory = z.object({
  file: z.string(),
  repo: z.string(),
  features: z.array(z.string()),
  total: z.number().int(),
  edits: z.array(
    z.object({
      user_name: z.string(),
      host: z.string().nullable(),
      branch: z.string().nullable(),
      intent_id: Id.nullable(),
      intent: z.string().nullable(),
      edits: z.number().int(),
      first_at: Time,
      last_at: Time,
      prompt: z.string().nullable(),
    }),
  ),
  intents: z.array(IntentRow),
  decisions: z.array(DecisionRow),
  handoffs: z.array(HandoffRow),
});
export type FileStory = z.infer<typeof FileStory>;

export const StandupRow = z.object({
  user_id: Id,
  user_name: z.string(),
  edits: z.number().int(),
  files: z.number().int(),
  intents: z.array(IntentRow),
  decisions: z.array(DecisionRow),
  handoffs: z.array(HandoffRow),
  ships: z.array(z.object({ version: z.string(), branch: z.string(), pr_url: z.string().nullable(), at: Time })),
});
export type StandupRow = z.infer<typeof StandupRow>;

/** What a machine keeps for a repository, to answer without a network. */
export const BrainDigest = z.object({
  at: Time,
  repo: z.string().nullable(),
  presence: z.array(PresenceRow),
  intents: z.array(IntentRow),
  decisions: z.array(DecisionRow),
  handoffs: z.array(HandoffRow),
  hot_files: z.array(HotFile),
  features: z.array(z.object({ feature: z.string(), file: z.string() })),
  /** One row per agent and file, of the last three days. */
  edits: z.array(
    z.object({
      file: z.string(),
      agent_id: Id,
      user_id: Id,
      user_name: z.string(),
      host: z.string().nullable(),
      at: Time,
      edits: z.number().int(),
      branch: z.string().nullable(),
      intent_id: Id.nullable(),
      lines: Lines,
    }),
  ),
});
export type BrainDigest = z.infer<typeof BrainDigest>;
