/**
 * What is in each record of the brain. The server checks the same members when it takes a record in (migration 0015); members that
 * neither knows are kept as they are.
 *
 * - `brainPayloads` the schema of each kind.
 * - `AgentEdit`, `Intent`, `Decision`, `DecisionEvent`, `Handoff`, `AgentRead`, `FeatureTag` their types, as written.
 *
 * Hooks take the types from here and never load the schemas: they must start fast.
 */
import { z } from "zod";

const Id = z.uuid();
const text = (most: number) => z.string().min(1).max(most);

/** Relative to the root of the repository, with `/`, and nowhere outside it. */
const RepoPath = z
  .string()
  .min(1)
  .max(1_000)
  .refine(
    (path) => !path.startsWith("/") && !path.split("/").some((part) => part === ".." || part === ""),
    "expected a path inside the repository",
  );

export const AgentIdentity = z.looseObject({
  id: Id,
  host: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "expected a name such as claude, codex, run or terminal"),
  /** The host's own id of the session. */
  session: text(200),
  machine: text(200),
  /** What people call it. */
  handle: text(100).optional(),
  model: text(200).optional(),
});

const editWays = ["edit", "bash", "run"] as const;
const AgentEdit = z.looseObject({
  agent: AgentIdentity,
  file: RepoPath,
  tool: text(100),
  /** First and last line of each part that was changed, in the file as it is after the edit; empty when that is not known. */
  lines: z.array(z.tuple([z.number().int().min(1), z.number().int().min(1)])).max(50),
  branch: text(500).nullable(),
  /** HEAD before the edit; null in a repository without a commit. */
  commit: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/, "expected a commit id")
    .nullable(),
  hash_after: z.string().max(128).optional(),
  intent_id: Id.optional(),
  via: z.enum(editWays),
  run_id: Id.optional(),
  /** The first 300 characters, without secrets. */
  prompt: z.string().max(300).optional(),
});

const files = z.array(RepoPath).max(500).default([]);
const features = z
  .array(
    z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "expected lower case letters, digits, dots, dashes and underscores"),
  )
  .max(50)
  .default([]);
const Feature = features.unwrap().element;

const intentStates = ["active", "shipped", "abandoned"] as const;
const intentSources = ["person", "inferred", "run"] as const;
const Intent = z.looseObject({
  intent_id: Id,
  /** Counts up with each change; the record with the highest (rev, id) is what holds. */
  rev: z.number().int().min(1),
  agent: AgentIdentity,
  state: z.enum(intentStates),
  text: text(2_000),
  branch: text(500).nullable(),
  files,
  features,
  decisions: z.array(Id).max(100).default([]),
  source: z.enum(intentSources),
  confidence: z.number().min(0).max(1),
});

const decisionTypes = ["decision", "learning", "freeze"] as const;
const decisionStates = ["proposed", "accepted", "superseded", "rejected", "expired"] as const;
const Decision = z.looseObject({
  decision_id: Id,
  rev: z.number().int().min(1),
  type: z.enum(decisionTypes),
  title: text(300),
  body: z.string().max(100_000),
  context: z.string().max(50_000).optional(),
  alternatives: z.string().max(50_000).optional(),
  files,
  features,
  intent_id: Id.optional(),
  state: z.enum(decisionStates),
  /** The decision that this one replaces. */
  supersedes: Id.optional(),
  expires_at: z.iso.datetime({ offset: true }).optional(),
  /** The ADR that it was read from. */
  source: z
    .looseObject({
      file: RepoPath,
      number: z.number().int().min(0).max(2_000_000_000).nullable().default(null),
      /** The day that the file names. */
      date: z.iso.date().optional(),
    })
    .optional(),
  agent: AgentIdentity.optional(),
});

const decisionEvents = ["created", "accepted", "superseded", "rejected", "expired", "commented"] as const;
const DecisionEvent = z.looseObject({
  decision_id: Id,
  event: z.enum(decisionEvents),
  text: z.string().max(10_000).optional(),
  agent: AgentIdentity.optional(),
});

const handoffSources = ["person", "auto", "run"] as const;
const Handoff = z.looseObject({
  agent: AgentIdentity,
  intent_id: Id.optional(),
  text: text(20_000),
  files,
  branch: text(500).nullable(),
  /** A person's id or name; null or absent: whoever comes next. */
  to: text(200).nullish(),
  source: z.enum(handoffSources),
});

const AgentRead = z.looseObject({
  agent: AgentIdentity,
  files: z
    .array(z.looseObject({ path: RepoPath, hash: text(128) }))
    .max(500)
    .default([]),
  decisions: z
    .array(z.looseObject({ id: Id, rev: z.number().int().min(1) }))
    .max(500)
    .default([]),
});

const FeatureTag = z.looseObject({ feature: Feature, files, decisions: z.array(Id).max(500).default([]) });

export const brainPayloads = {
  agent_edit: AgentEdit,
  intent: Intent,
  decision: Decision,
  decision_event: DecisionEvent,
  handoff: Handoff,
  agent_read: AgentRead,
  feature_tag: FeatureTag,
} as const;
export type BrainKind = keyof typeof brainPayloads;

export type AgentIdentity = z.output<typeof AgentIdentity>;
export type AgentEdit = z.input<typeof AgentEdit>;
export type Intent = z.input<typeof Intent>;
export type Decision = z.input<typeof Decision>;
export type DecisionEvent = z.input<typeof DecisionEvent>;
export type Handoff = z.input<typeof Handoff>;
export type AgentRead = z.input<typeof AgentRead>;
export type FeatureTag = z.input<typeof FeatureTag>;
