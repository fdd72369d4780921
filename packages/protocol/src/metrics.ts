/**
 * What a team's records add up to, as the functions of the data plane answer it. Days are days of UTC. A number `now` has the number of
 * the period `before` next to it; a rate, a mean and a median have their 95 % interval.
 *
 * - `metricRpcs` arguments and answers by function name.
 */
import { z } from "zod";
import { evalStatuses } from "./eval-enums.ts";

const Id = z.uuid();
const Time = z.iso.datetime({ offset: true });
const Day = z.iso.date();
const count = z.number().int();

/** `hits` of `of`; the rate is null if there were none. */
const Rate = z.object({
  hits: z.number(),
  of: z.number(),
  rate: z.number().nullable(),
  low: z.number(),
  high: z.number(),
});
export type Rate = z.infer<typeof Rate>;

const Mean = z.object({ of: count, mean: z.number().nullable(), low: z.number(), high: z.number() });

const Median = z.object({
  of: count,
  median: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  p90: z.number().nullable(),
});
export type Median = z.infer<typeof Median>;

const both = <T extends z.ZodType>(one: T) => z.object({ now: one, before: one });
const period = { since: Day, unit: z.enum(["day", "week"]) };

const TeamOverview = z.object({
  ...period,
  members: count,
  /** People with a record in this period. */
  active: count,
  ships: both(count),
  eval_runs: both(count),
  pass: both(Rate),
  usd: both(z.number()),
  qa: z.object({ reports: count, now: Mean, before: Mean }),
  false_alarms: both(Rate),
  last_ship: z
    .object({ id: Id, at: Time, version: z.string(), repo: z.string().nullable(), by: z.string().nullable() })
    .nullable(),
  points: z.array(z.object({ at: Day, ships: count, eval_runs: count, pass: Rate, usd: z.number() })),
  repos: z.array(z.object({ id: Id, name: z.string(), ships: count, eval_runs: count, pass: Rate, usd: z.number() })),
  hot_spots: z.array(z.object({ repo: z.string().nullable(), path: z.string(), commits: z.number() })),
});
export type TeamOverview = z.infer<typeof TeamOverview>;

const SuiteTrends = z.object({
  ...period,
  suites: z.array(
    z.object({
      suite: z.string(),
      tier: z.string(),
      runs: count,
      pass: Rate,
      before: Rate,
      usd: z.number(),
      points: z.array(z.object({ at: Day, runs: count, pass: Rate })),
    }),
  ),
  branches: z.array(z.string()),
  models: z.array(z.string()),
});
export type SuiteTrends = z.infer<typeof SuiteTrends>;

const EvalStruggles = z.object({
  since: Day,
  /** Worst first. */
  criteria: z.array(z.object({ suite: z.string(), criterion: z.string(), score: Mean, before: z.number().nullable() })),
  cases: z.array(z.object({ suite: z.string(), name: z.string(), failed: Rate })),
});
export type EvalStruggles = z.infer<typeof EvalStruggles>;

const Velocity = z.object({
  ...period,
  ships: both(count),
  /** From a commit to its ship. */
  lead_hours: both(Median),
  /** Ships that a later ship had to repair. */
  change_fail: both(Rate),
  /** Ships that were made to repair an earlier one. */
  rework: both(Rate),
  restore_hours: both(Median),
  points: z.array(z.object({ at: Day, ships: count, lead_hours: Median, change_fail: Rate, fixes: count })),
  repos: z.array(
    z.object({
      id: Id.nullable(),
      name: z.string().nullable(),
      ships: count,
      lead_hours: Median,
      change_fail: Rate,
      rework: Rate,
    }),
  ),
});
export type Velocity = z.infer<typeof Velocity>;

const TeamCosts = z.object({
  ...period,
  evals: both(z.number()),
  /** Of runs on this server; null for a single repository. */
  agents: both(z.number()).nullable(),
  /** Null where nothing was shipped. */
  per_ship: both(z.number().nullable()),
  points: z.array(z.object({ at: Day, usd: z.number(), runs: count })),
  models: z.array(
    z.object({
      model: z.string(),
      calls: z.number(),
      input_tokens: z.number(),
      output_tokens: z.number(),
      usd: z.number(),
    }),
  ),
  suites: z.array(
    z.object({ suite: z.string(), runs: count, results: z.number(), usd: z.number(), before: z.number() }),
  ),
});
export type TeamCosts = z.infer<typeof TeamCosts>;

const QaHealth = z.object({
  ...period,
  score: z.object({ reports: count, now: Mean, before: Mean }),
  points: z.array(z.object({ at: Day, reports: count, issues: count, score: Mean })),
  /** The newest report of each site, worst first. */
  sites: z.array(
    z.object({
      url: z.string(),
      reports: count,
      id: Id,
      at: Time,
      score: z.number().nullable(),
      before: z.number().nullable(),
      issues: count,
    }),
  ),
});
export type QaHealth = z.infer<typeof QaHealth>;

const Judged = z.object({
  name: z.string(),
  findings: count,
  fixed: count,
  already_fixed: count,
  false_alarms: Rate,
});
export type Judged = z.infer<typeof Judged>;

const ReviewSignal = z.object({
  ...period,
  false_alarms: both(Rate),
  points: z.array(z.object({ at: Day, false_alarms: Rate })),
  categories: z.array(Judged),
  reviewers: z.array(Judged),
});
export type ReviewSignal = z.infer<typeof ReviewSignal>;

/** Medians, so that one long session does not speak for all. */
const Usage = z.object({
  sessions: count,
  turns: Median,
  prompt_chars: Median,
  /** Sessions in which files were changed, and those that were interrupted and changed nothing. */
  changed: Rate,
  interrupted: Rate,
});

const AgentUsage = z.object({
  ...period,
  totals: Usage,
  before: Usage,
  points: z.array(z.object({ at: Day, sessions: count, turns: Median, prompt_chars: Median })),
  tools: z.array(z.object({ name: z.string(), calls: z.number(), sessions: count })),
  people: z.array(
    Usage.extend({
      user_id: Id,
      name: z.string(),
      weeks: z.array(z.object({ at: Day, sessions: count, turns: z.number(), prompt_chars: z.number().nullable() })),
    }),
  ),
  /** People who share transcripts and are not named to the caller. */
  others: count,
});
export type AgentUsage = z.infer<typeof AgentUsage>;

const Standing = z.object({
  eval_runs: count,
  /** Runs that brought failures back down after a run that had more of them. */
  regressions_fixed: count,
  pass: Rate,
  ships: count,
  reviews: count,
  qa_score: z.number().nullable(),
  usd: z.number(),
  usd_per_ship: z.number().nullable(),
});

const Leaderboard = z.object({
  since: Day,
  /** Whether the caller is named. */
  joined: z.boolean(),
  totals: Standing,
  people: z.array(Standing.extend({ user_id: Id, name: z.string() })),
  /** People who did something and did not ask to be named. */
  others: count,
});
export type TeamLeaderboard = z.infer<typeof Leaderboard>;

const ActivityRow = z.object({
  id: Id,
  kind: z.string(),
  at: Time,
  by_id: Id,
  by_name: z.string(),
  repo_name: z.string().nullable(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
export type ActivityRow = z.infer<typeof ActivityRow>;

const TeamRecord = ActivityRow.omit({ facts: true }).extend({
  received_at: Time,
  agent: z.string().nullable(),
  payload: z.unknown(),
  /** Of an eval run: failures first, at most 500. */
  results: z
    .array(
      z.object({
        name: z.string(),
        category: z.string().nullable(),
        status: z.enum(evalStatuses),
        scores: z.record(z.string(), z.unknown()),
        duration_ms: z.number().nullable(),
      }),
    )
    .nullable(),
});
export type TeamRecord = z.infer<typeof TeamRecord>;

/** What a list of records can be narrowed to. */
export const recordChoices = ["failed", "fixes", "false_alarms"] as const;

const question = {
  team_id: Id,
  /** A repository's name, canonical remote or id. */
  repo: z.string().optional(),
  /** 1 to 366; beyond 31 they are whole weeks. */
  days: count.optional(),
};
const text = z.string().optional();

export const metricRpcs = {
  team_overview: { arguments: z.object(question), answer: TeamOverview },
  eval_trend: { arguments: z.object({ ...question, suite: text, branch: text, model: text }), answer: SuiteTrends },
  eval_struggles: { arguments: z.object({ ...question, suite: text }), answer: EvalStruggles },
  velocity: { arguments: z.object(question), answer: Velocity },
  costs: { arguments: z.object(question), answer: TeamCosts },
  qa_health: { arguments: z.object(question), answer: QaHealth },
  review_signal: { arguments: z.object(question), answer: ReviewSignal },
  agent_usage: { arguments: z.object(question), answer: AgentUsage },
  leaderboard: { arguments: z.object(question), answer: Leaderboard },
  set_leaderboard: { arguments: z.object({ team_id: Id, joined: z.boolean() }), answer: z.null() },
  /** Newest first; the next page begins before the last row's `at` and `id`. */
  activity: {
    arguments: z.object({
      team_id: Id,
      repo: text,
      kinds: z.array(z.string()).optional(),
      user_id: Id.optional(),
      since: Day.optional(),
      until: Day.optional(),
      suite: text,
      case_name: text,
      model: text,
      category: text,
      reviewer: text,
      url: text,
      which: z.enum(recordChoices).optional(),
      before_at: z.string().optional(),
      before_id: Id.optional(),
      max_rows: count.optional(),
    }),
    answer: z.array(ActivityRow),
  },
  record: { arguments: z.object({ team_id: Id, id: Id }), answer: TeamRecord },
} as const;
