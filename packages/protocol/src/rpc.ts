/**
 * The functions of the data plane, `POST /rest/v1/rpc/<name>`: their arguments and answers. Names are as in SQL, as any
 * PostgREST client sees them. A test compares this list with the functions in the database.
 *
 * - `rpcs` by name; `RpcArguments<"ping">`, `RpcAnswer<"ping">` their types; `rpcAnswer(name)` the schema of an answer.
 * - `changeOf(teamId, row)` a row of a team's log in the form of the live streams.
 */
import { z } from "zod";
import { AlertState, DigestPage, QueuedAlert, RetentionRow, webhookFormats } from "./alerts.ts";
import {
  BrainDigest,
  DecisionDetail,
  DecisionRow,
  FeatureRow,
  FileStory,
  FoundDecision,
  HandoffRow,
  HotFile,
  IntentRow,
  PresenceRow,
  StandupRow,
  WhyAnswer,
} from "./brain.ts";
import { Change } from "./changes.ts";
import { metricRpcs } from "./metrics.ts";
import { ForgottenRecord, FoundRecord, PulledRow, RecordAnswer, RecordKind, RecordRow, RunResults } from "./records.ts";
import { TeamRow, teamRoles } from "./team-row.ts";

const Id = z.uuid();
const Time = z.iso.datetime({ offset: true });

/** What a personal access token may do; `write` includes `read`. */
export const tokenScopes = ["read", "write", "worker"] as const;

/** Without a sign-in, only the role is set: `anon`. */
const IdentityRow = z.object({
  id: Id.nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  role: z.enum(["anon", "authenticated"]),
});

export const MemberRow = z.object({
  user_id: Id,
  name: z.string(),
  email: z.string().nullable(),
  role: z.enum(teamRoles),
  joined_at: Time,
});
export type MemberRow = z.infer<typeof MemberRow>;

export const RepoRow = z.object({
  id: Id,
  team_id: Id,
  name: z.string(),
  remote: z.string().nullable(),
  default_branch: z.string(),
  path_hint: z.string().nullable(),
  sanitised: z.boolean(),
  created_at: Time,
});
export type RepoRow = z.infer<typeof RepoRow>;

const PingRow = z.object({ id: Id, team_id: Id, user_id: Id, note: z.unknown(), sanitised: z.boolean(), at: Time });

/** Without the team id. */
const ChangeRow = z.object({
  /** A bigint, which some drivers write as text. */
  seq: z.coerce.number().pipe(Change.shape.seq),
  kind: Change.shape.kind,
  entity_id: Change.shape.entityId,
  op: Change.shape.op,
  at: Change.shape.at,
});

export function changeOf(teamId: string, { entity_id, ...row }: z.infer<typeof ChangeRow>): Change {
  return { ...row, teamId, entityId: entity_id };
}

const InviteRow = z.object({
  id: Id,
  role: z.enum(teamRoles),
  email: z.string().nullable(),
  created_by: Id,
  created_by_name: z.string(),
  created_at: Time,
  expires_at: Time,
});
export type InviteRow = z.infer<typeof InviteRow>;

/** The token appears here and nowhere else. */
const NewInvite = InviteRow.pick({ id: true, role: true, email: true, expires_at: true }).extend({ token: z.string() });

const AccessTokenRow = z.object({
  id: Id,
  name: z.string(),
  scopes: z.array(z.enum(tokenScopes)),
  user_id: Id,
  user_name: z.string(),
  created_at: Time,
  expires_at: Time,
  last_used_at: Time.nullable(),
});
export type AccessTokenRow = z.infer<typeof AccessTokenRow>;

const NewAccessToken = AccessTokenRow.pick({ id: true, name: true, scopes: true, expires_at: true }).extend({
  token: z.string(),
});

const WelcomeRow = z.object({
  members: z.number().int(),
  eval_runs_this_week: z.number().int(),
  last_ship_at: Time.nullable(),
});

const Nothing = z.null();
/** The caller's agents of one host on one machine. */
const AgentsOfHost = z.object({ host: z.string(), sessions: z.number().int(), last_seen_at: Time });

const ofTeam = z.object({ team_id: Id });
const ofMember = ofTeam.extend({ user_id: Id });
const days = z.number().int().optional();
const selection = {
  kinds: z.array(z.string()).optional(),
  max_rows: z.number().int().optional(),
  /** The canonical remote: rows of other repositories are left out. */
  repo: z.string().optional(),
};

const ofRepo = ofTeam.extend({ repo: z.string().optional() });
const max_rows = z.number().int().optional();
const names = z.array(z.string()).optional();

export const rpcs = {
  whoami: { arguments: z.object({}), answer: IdentityRow },
  my_teams: { arguments: z.object({}), answer: z.array(TeamRow) },
  create_team: { arguments: z.object({ name: z.string(), slug: z.string().optional() }), answer: TeamRow },
  team_members: { arguments: ofTeam, answer: z.array(MemberRow) },
  /** The same id in the same team is the same registration, and answers with the first one. */
  register_repo: {
    arguments: ofTeam.extend({
      name: z.string(),
      remote: z.string().optional(),
      default_branch: z.string().optional(),
      path_hint: z.string().optional(),
      id: Id.optional(),
    }),
    answer: RepoRow,
  },
  list_repos: { arguments: ofTeam, answer: z.array(RepoRow) },
  /** The same id from the same person in the same team answers with the first ping. */
  ping: { arguments: ofTeam.extend({ note: z.unknown().optional(), id: Id.optional() }), answer: PingRow },
  changes: {
    arguments: ofTeam.extend({ after_seq: z.number().int().optional(), max_rows: z.number().int().optional() }),
    answer: z.array(ChangeRow),
  },
  create_invite: {
    arguments: ofTeam.extend({ role: z.enum(teamRoles).optional(), email: z.string().optional(), days }),
    answer: NewInvite,
  },
  list_invites: { arguments: ofTeam, answer: z.array(InviteRow) },
  revoke_invite: { arguments: ofTeam.extend({ invite_id: Id }), answer: Nothing },
  accept_invite: { arguments: z.object({ token: z.string() }), answer: TeamRow },
  set_role: { arguments: ofMember.extend({ role: z.enum(teamRoles) }), answer: Nothing },
  remove_member: { arguments: ofMember, answer: Nothing },
  erase_member: { arguments: ofMember, answer: Nothing },
  create_token: {
    arguments: ofTeam.extend({ name: z.string(), scopes: z.array(z.enum(tokenScopes)).optional(), days }),
    answer: NewAccessToken,
  },
  list_tokens: { arguments: ofTeam, answer: z.array(AccessTokenRow) },
  revoke_token: { arguments: ofTeam.extend({ token_id: Id }), answer: Nothing },
  team_welcome: { arguments: ofTeam, answer: WelcomeRow },
  record_kinds: { arguments: z.object({}), answer: z.array(RecordKind) },
  /** At most 500 records; each is answered by its id. */
  push_records: {
    arguments: ofTeam.extend({ records: z.array(z.unknown()), sent_at: z.string().optional() }),
    answer: z.array(RecordAnswer),
  },
  /** `resync`: the cursor is of no use, take a snapshot. */
  pull: {
    arguments: ofTeam.extend({ cursor: z.string().optional(), ...selection }),
    answer: z.object({
      cursor: z.string().nullable(),
      resync: z.boolean(),
      more: z.boolean(),
      rows: z.array(PulledRow),
    }),
  },
  /** Pages by id; the cursor of the first page is where pulling goes on. */
  snapshot: {
    arguments: ofTeam.extend({ after: Id.optional(), ...selection }),
    answer: z.object({ cursor: z.string(), next: Id.nullable(), rows: z.array(RecordRow) }),
  },
  /** As many of the runs as fit in one answer, at least one. */
  eval_results: { arguments: ofTeam.extend({ run_ids: z.array(Id) }), answer: z.array(RunResults) },
  find_records: { arguments: ofTeam.extend({ ids: z.array(Id) }), answer: z.array(FoundRecord) },
  forget_record: { arguments: ofTeam.extend({ id: Id }), answer: ForgottenRecord },
  ...metricRpcs,
  alert_state: { arguments: ofTeam, answer: AlertState },
  /** What is left out stays as it is; an empty URL or list takes it away. */
  set_alerts: {
    arguments: ofTeam.extend({
      webhook_url: z.string().optional(),
      webhook_format: z.enum(webhookFormats).optional(),
      emails: z.array(z.string()).optional(),
      branches: z.array(z.string()).optional(),
      time_zone: z.string().optional(),
      digest: z.boolean().optional(),
      digest_day: z.number().int().optional(),
      digest_hour: z.number().int().optional(),
    }),
    answer: AlertState,
  },
  /** A test, or the digest of the last seven days. */
  send_alert: { arguments: ofTeam.extend({ kind: z.enum(["test", "digest"]) }), answer: QueuedAlert },
  /** The seven days before `until`, or before now. */
  digest: { arguments: ofTeam.extend({ until: z.string().optional() }), answer: DigestPage },
  retention: { arguments: ofTeam, answer: z.array(RetentionRow) },
  /** Without days, the kind is kept. */
  set_retention: { arguments: ofTeam.extend({ kind: z.string(), days }), answer: Nothing },
  /** Answers how many others are at work. */
  heartbeat: {
    arguments: ofRepo.extend({
      agent: z.unknown(),
      intent_text: z.string().optional(),
      branch: z.string().optional(),
      files: names,
      /** `left` ends it. */
      state: z.enum(["working", "waiting", "idle", "left"]).optional(),
      ttl_seconds: z.number().int().optional(),
    }),
    answer: z.number().int(),
  },
  my_agents: { arguments: ofTeam.extend({ machine: z.string() }), answer: z.array(AgentsOfHost) },
  live_presence: { arguments: ofRepo, answer: z.array(PresenceRow) },
  active_intents: { arguments: ofRepo.extend({ max_rows }), answer: z.array(IntentRow) },
  list_intents: { arguments: ofRepo.extend({ states: names, max_rows }), answer: z.array(IntentRow) },
  list_handoffs: { arguments: ofRepo.extend({ max_rows }), answer: z.array(HandoffRow) },
  list_features: { arguments: ofRepo, answer: z.array(FeatureRow) },
  /** By default those that hold; `states: null` for all. */
  list_decisions: {
    arguments: ofRepo.extend({
      states: z.array(z.string()).nullable().optional(),
      types: names,
      feature: z.string().optional(),
      file: z.string().optional(),
      before: z.string().optional(),
      max_rows,
    }),
    answer: z.array(DecisionRow),
  },
  show_decision: {
    arguments: ofRepo.extend({ id: Id.optional(), number: z.number().int().optional() }),
    answer: DecisionDetail,
  },
  search_decisions: {
    arguments: ofRepo.extend({
      query: z.string(),
      files: names,
      features: names,
      states: z.array(z.string()).nullable().optional(),
      types: names,
      max_rows,
    }),
    answer: z.array(FoundDecision),
  },
  why: {
    arguments: ofTeam.extend({
      repo: z.string(),
      file: z.string(),
      line: z.number().int().optional(),
      commit: z.string().optional(),
      parents: names,
      committed_at: z.string().optional(),
      earlier_names: names,
    }),
    answer: WhyAnswer,
  },
  file_story: { arguments: ofTeam.extend({ repo: z.string(), file: z.string(), max_rows }), answer: FileStory },
  hot_files: { arguments: ofRepo.extend({ days: z.number().int().optional(), max_rows }), answer: z.array(HotFile) },
  standup: { arguments: ofRepo.extend({ since: z.string().optional() }), answer: z.array(StandupRow) },
  brain_digest: { arguments: ofRepo, answer: BrainDigest },
} as const satisfies Readonly<Record<string, { readonly arguments: z.ZodObject; readonly answer: z.ZodType }>>;

export type RpcName = keyof typeof rpcs;
export type RpcArguments<Name extends RpcName> = z.input<(typeof rpcs)[Name]["arguments"]>;
export type RpcAnswer<Name extends RpcName> = z.output<(typeof rpcs)[Name]["answer"]>;

export const rpcAnswer = <Name extends RpcName>(name: Name): z.ZodType<RpcAnswer<Name>> =>
  rpcs[name].answer as z.ZodType as z.ZodType<RpcAnswer<Name>>;
