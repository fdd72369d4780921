/**
 * Evals over HTTP, read-only: `/api/evals…` and the live stream `/sse/evals/watch`.
 *
 * A run is identified by its `ref`, `<suite>/<run id>`; in a path it is one encoded segment. Rates are between 0 and 1, money
 * is in US dollars, times are UTC. Calls without a known price are counted in `unpricedCalls` and are in no total.
 */
import { z } from "zod";
import { evalStatuses, evalTiers, evalVerdicts, evalWatchStates, evalWorkerStates, modelTiers } from "./eval-enums.ts";
import { EvalMoney, EvalTotals, StoredEvalRun } from "./eval-run.ts";

const Time = z.iso.datetime({ offset: true });
const Count = z.number().int().nonnegative();
const Ref = z.string().min(1).max(2000);
const Tier = z.enum(evalTiers);
const Interval = z.object({ low: z.number(), high: z.number() });

export const EvalRunLine = StoredEvalRun.extend({
  ref: Ref,
  /** The share that passed of those that passed or failed; null if there are none. */
  passRate: z.number().nullable(),
  interval: Interval,
});
export type EvalRunLine = z.infer<typeof EvalRunLine>;

/** `GET /api/evals/runs?suite&label&branch&tier&since&sha&failed&limit&after`. */
export const EvalRunList = z.object({
  runs: z.array(EvalRunLine),
  matching: Count,
  /** Pass it as `after` for the next page; null on the last page. */
  next: z.string().nullable(),
});
export type EvalRunList = z.infer<typeof EvalRunList>;

/** A commit as the repository knew it when a run of it was pushed. */
export const EvalCommit = z.object({
  sha: z.string(),
  subject: z.string(),
  author: z.string(),
  at: z.string().nullable(),
});
export type EvalCommit = z.infer<typeof EvalCommit>;

/** One commit of a suite and tier, with its runs pooled. A run without a commit is a state by itself. */
export const EvalState = z.object({
  /** Identifies the state in `/api/evals/compare`: `commit:<sha>` or a run's ref. */
  id: z.string(),
  sha: z.string().nullable(),
  branch: z.string().nullable(),
  at: Time,
  runs: z.array(Ref),
  passes: Count,
  results: Count,
  errors: Count,
  passRate: z.number().nullable(),
  interval: Interval,
  usd: z.number(),
});
export type EvalState = z.infer<typeof EvalState>;

/** `GET /api/evals/suites`: suites and filter values, from the newest 1,000 runs. */
export const EvalSuiteList = z.object({
  suites: z.array(
    z.object({
      suite: z.string(),
      tier: Tier,
      runs: Count,
      /** How many models and prompts the suite was run with; the states are those of the latest run's. */
      variants: Count,
      /** The commit of the latest run. */
      commit: EvalCommit.nullable(),
      latest: EvalRunLine,
      /** The newest 40, oldest first. */
      states: z.array(EvalState),
    }),
  ),
  branches: z.array(z.string()),
  labels: z.array(z.string()),
  tiers: z.array(Tier),
  runs: Count,
});
export type EvalSuiteList = z.infer<typeof EvalSuiteList>;

/** A result as a row of a table. Fields are truncated so that fifty rows are at most 60 kB. */
export const EvalResultRow = z.object({
  ordinal: Count,
  caseKey: z.string(),
  name: z.string(),
  category: z.string().nullable(),
  status: z.enum(evalStatuses),
  repeat: Count,
  durationMs: z.number().nullable(),
  turns: z.number().nullable(),
  cached: z.boolean(),
  usd: z.number().nullable(),
  /** The mean of all scores. */
  score: z.number().nullable(),
  /** The first few; `scoreCount` is the total. */
  scores: z.record(z.string(), z.number()),
  scoreCount: Count,
  preview: z.string().nullable(),
  /** The error, or the first failure. */
  problem: z.string().nullable(),
  failureCount: Count,
});
export type EvalResultRow = z.infer<typeof EvalResultRow>;

export const evalResultSorts = ["order", "name", "status", "duration", "cost", "score"] as const;
export type EvalResultSort = (typeof evalResultSorts)[number];
/** `GET /api/evals/runs/:ref/results?page&pageSize&status&category&name&text&criterion&below&metadata&sort&descending`; `status` joined by
 * commas, `text` is searched in outputs and problems, `criterion` with `below` selects low scores. */
export const EvalResultPage = z.object({
  rows: z.array(EvalResultRow),
  matching: Count,
  page: Count,
  pageSize: Count,
});
export type EvalResultPage = z.infer<typeof EvalResultPage>;

export const EvalModelCost = EvalMoney.extend({
  model: z.string(),
  calls: Count,
  /** All input, cached or not. */
  inputTokens: Count,
  outputTokens: Count,
  cacheReadTokens: Count,
  cacheWriteTokens: Count,
  unpricedReason: z.string().nullable(),
});
export type EvalModelCost = z.infer<typeof EvalModelCost>;

const EvalJudgeIdentity = z.object({
  model: z.string(),
  rubricSha: z.string().nullable(),
  threshold: z.number().nullable(),
});

/** `GET /api/evals/runs/:ref`. */
export const EvalRunDetail = z.object({
  run: EvalRunLine,
  pushedAt: Time,
  judges: z.array(EvalJudgeIdentity),
  durations: z.object({ p50Ms: z.number(), p95Ms: z.number(), sumMs: z.number() }).nullable(),
  cachedResults: Count,
  superseded: Count,
  warnings: z.array(z.string()),
  losses: z.array(z.string()),
  cost: EvalMoney.extend({ models: z.array(EvalModelCost), priceVersion: z.string().nullable() }),
  /** Pass rate and mean scores by category; a result without a category is under null. */
  matrix: z.object({
    criteria: z.array(
      z.object({ criterion: z.string(), count: Count, mean: z.number(), min: z.number(), max: z.number() }),
    ),
    categories: z.array(
      EvalTotals.extend({
        category: z.string().nullable(),
        passRate: z.number().nullable(),
        interval: Interval,
        /** In the order of `criteria`; null without a score. */
        cells: z.array(z.object({ mean: z.number(), count: Count }).nullable()),
      }),
    ),
    moreCategories: Count,
    moreCriteria: Count,
  }),
  clusters: z.array(z.object({ message: z.string(), count: Count, cases: z.array(z.string()) })),
  slow: z.array(EvalResultRow),
  dear: z.array(EvalResultRow),
  /** Null if no run recorded the commit. */
  commit: EvalCommit.nullable(),
  /** The number of cells of the matrix that the run belongs to; 1 without a matrix. */
  variants: Count,
  /** For each criterion: how many scores are in each tenth of its range. */
  histograms: z.array(z.object({ criterion: z.string(), from: z.number(), to: z.number(), counts: z.array(Count) })),
  /** The earlier run to compare it with, and the values of `a` and `b` that compare the two. */
  previous: z.object({ run: Ref, a: z.string(), b: z.string() }).nullable(),
});
export type EvalRunDetail = z.infer<typeof EvalRunDetail>;

/** `GET /api/evals/runs/:ref/matrix?page&differing`: cases × variants of the matrix that the run is a cell of. */
export const EvalMatrix = z.object({
  variants: z.array(z.object({ title: z.string(), run: EvalRunLine })),
  cases: z.array(
    z.object({
      caseKey: z.string(),
      name: z.string(),
      /** In the order of `variants`; null if a variant has no such case. */
      cells: z.array(
        z
          .object({
            ordinal: Count,
            status: z.enum(evalStatuses),
            output: z.object({ text: z.string(), isCut: z.boolean() }).nullable(),
            problem: z.string().nullable(),
            scores: z.record(z.string(), z.number()),
          })
          .nullable(),
      ),
    }),
  ),
  matching: Count,
  page: Count,
  pageSize: Count,
});
export type EvalMatrix = z.infer<typeof EvalMatrix>;

/** `POST /api/evals/runs/:ref/results/:ordinal/label`: a person's verdict; judges are measured by these. */
export const EvalLabelInput = z.object({
  verdict: z.enum(["pass", "fail"]),
  criterion: z.string().min(1).max(200).nullable().default(null),
  note: z.string().max(4000).nullable().default(null),
});
export type EvalLabelInput = z.infer<typeof EvalLabelInput>;
export const EvalLabel = z.object({
  at: z.string(),
  by: z.string(),
  criterion: z.string().nullable(),
  verdict: z.enum(["pass", "fail"]),
  note: z.string().nullable(),
});
export type EvalLabel = z.infer<typeof EvalLabel>;
/** `GET /api/evals/runs/:ref/results/:ordinal/labels`, newest first. */
export const EvalLabels = z.object({ labels: z.array(EvalLabel) });

/** A text that may be truncated. */
export const EvalText = z.object({ text: z.string(), isCut: z.boolean() });
export type EvalText = z.infer<typeof EvalText>;

const EvalFailureView = z.object({
  type: z.string(),
  expectationType: z.string().nullable(),
  criterion: z.string().nullable(),
  message: z.string(),
  expected: EvalText.nullable(),
  actual: EvalText.nullable(),
});
const EvalVoteView = z.object({
  model: z.string(),
  profile: z.string().nullable(),
  scores: z.record(z.string(), z.number()),
  reasons: z.record(z.string(), z.string()),
});

/** `GET /api/evals/runs/:ref/results/:ordinal`: one result, with its values formatted as text. */
export const EvalResultDetail = z.object({
  run: EvalRunLine,
  ordinal: Count,
  caseKey: z.string(),
  name: z.string(),
  category: z.string().nullable(),
  tags: z.array(z.string()),
  status: z.enum(evalStatuses),
  repeat: Count,
  durationMs: z.number().nullable(),
  turns: z.number().nullable(),
  cached: z.boolean(),
  scores: z.record(z.string(), z.number()),
  error: EvalText.nullable(),
  failures: z.array(EvalFailureView),
  /** Every assertion of the tool with its reason, passing or not; empty if the tool records only failures. */
  assertions: z.array(
    z.object({
      type: z.string(),
      criterion: z.string().nullable(),
      passed: z.boolean(),
      score: z.number().nullable(),
      reason: z.string(),
    }),
  ),
  input: EvalText.nullable(),
  /** The `response` of the output if it has one, otherwise the whole output. */
  output: EvalText.nullable(),
  /** The output without its `response`. */
  rest: EvalText.nullable(),
  votes: z.array(EvalVoteView),
  usage: z.array(
    z.object({
      model: z.string(),
      calls: Count,
      inputTokens: Count,
      outputTokens: Count,
      cacheReadTokens: Count,
      cacheWriteTokens: Count,
      costUsd: z.number().nullable(),
    }),
  ),
});
export type EvalResultDetail = z.infer<typeof EvalResultDetail>;

export const EvalHistoryPoint = StoredEvalRun.pick({
  at: true,
  gitSha: true,
  gitBranch: true,
  promptSha: true,
  label: true,
  tier: true,
  judgeKey: true,
}).extend({
  run: Ref,
  /** The model and prompt variant; null if the run names none. */
  variant: z.string().nullable(),
  ordinal: Count,
  repeat: Count,
  status: z.enum(evalStatuses),
  durationMs: z.number().nullable(),
  usd: z.number().nullable(),
  score: z.number().nullable(),
});
export type EvalHistoryPoint = z.infer<typeof EvalHistoryPoint>;

export const EvalFlakyCase = z.object({
  suite: z.string(),
  /** The model and prompt variant with which it is flaky. */
  variant: z.string().nullable(),
  name: z.string(),
  caseKey: z.string(),
  /** The probability that two results of one state disagree. */
  rate: z.number(),
  interval: Interval,
  states: Count,
  mixedStates: Count,
  results: Count,
  /** The pass rate since the last lasting change. */
  passRate: z.number(),
  lastMixedAt: Time,
});
export type EvalFlakyCase = z.infer<typeof EvalFlakyCase>;

/** `GET /api/evals/cases/:key?suite&tier`: history newest first, at most 500 points. */
export const EvalCaseDetail = z.object({
  suite: z.string(),
  name: z.string(),
  caseKey: z.string(),
  inputSha: z.string().nullable(),
  tiers: z.array(Tier),
  history: z.array(EvalHistoryPoint),
  states: z.array(EvalState),
  flaky: EvalFlakyCase.nullable(),
  /** The default for the side-by-side view: the newest result (b), and the last one that differed from it (a). */
  suggested: z.object({
    a: z.object({ run: Ref, ordinal: Count }).nullable(),
    b: z.object({ run: Ref, ordinal: Count }).nullable(),
  }),
});
export type EvalCaseDetail = z.infer<typeof EvalCaseDetail>;

/** `GET /api/evals/outputs?a=<ref>&aOrdinal&b=<ref>&bOrdinal`: two results side by side, and how their outputs differ. */
export const EvalOutputs = z.object({
  a: EvalResultDetail,
  b: EvalResultDetail,
  /** Null if either has no output. */
  changes: z.array(z.object({ kind: z.enum(["same", "removed", "added"]), text: z.string() })).nullable(),
});
export type EvalOutputs = z.infer<typeof EvalOutputs>;

const Verdict = z.enum(evalVerdicts);
const SideSummary = z.object({
  runs: z.array(z.string()),
  shas: z.array(z.string()),
  labels: z.array(z.string()),
  from: z.string().nullable(),
  to: z.string().nullable(),
});
const CaseFailure = z.object({
  expectationType: z.string().nullable(),
  criterion: z.string().nullable(),
  message: z.string(),
  expected: z.string().nullable(),
  actual: z.string().nullable(),
});
export const EvalCaseChange = z.object({
  name: z.string(),
  caseKey: z.string(),
  renamedTo: z.string().nullable(),
  category: z.string().nullable(),
  passesA: Count,
  resultsA: Count,
  passesB: Count,
  resultsB: Count,
  p: z.number(),
  pAdjusted: z.number(),
  isProven: z.boolean(),
  failure: CaseFailure.nullable(),
  outputA: z.string().nullable(),
  outputB: z.string().nullable(),
});
export type EvalCaseChange = z.infer<typeof EvalCaseChange>;
const CaseLine = z.object({ name: z.string(), passes: Count, results: Count, errors: Count });
const SideNumbers = z.object({
  runs: Count,
  cases: Count,
  results: Count,
  passed: Count,
  failed: Count,
  errors: Count,
  skipped: Count,
});

export const EvalSuiteComparison = z.object({
  suite: z.string(),
  tier: Tier,
  /** The cell of a matrix; null if the suite has only one. */
  variant: z.string().nullable(),
  verdict: Verdict,
  reason: z.string(),
  refused: z.string().nullable(),
  a: SideNumbers,
  b: SideNumbers,
  pairs: z.object({
    common: Count,
    compared: Count,
    added: Count,
    removed: Count,
    renamed: Count,
    overlap: z.number(),
    lostToErrors: Count,
    superseded: Count,
  }),
  pass: z
    .object({
      verdict: Verdict,
      cases: Count,
      rateA: z.number(),
      rateB: z.number(),
      difference: z.number(),
      interval: Interval,
      intervalMethod: z.string(),
      p: z.number(),
      pAdjusted: z.number(),
      method: z.string(),
      broke: Count,
      fixed: Count,
      changed: Count,
    })
    .nullable(),
  errors: z.object({ a: Count, b: Count, isFinding: z.boolean(), lostPairs: Count, verdictAsFailures: Verdict }),
  broken: z.array(EvalCaseChange),
  fixed: z.array(EvalCaseChange),
  /** The lists may be truncated; these are the totals. */
  brokenCount: Count,
  fixedCount: Count,
  added: z.array(CaseLine),
  removed: z.array(CaseLine),
  renamed: z.array(z.object({ from: z.string(), to: z.string() })),
  suggestions: z.array(z.object({ a: z.string(), b: z.string(), reason: z.string() })),
  quarantined: z.array(z.string()),
  criteria: z.array(
    z.object({
      criterion: z.string(),
      gates: z.boolean(),
      notGatingBecause: z.string().nullable(),
      direction: z.enum(["higher", "lower"]),
      scale: z.tuple([z.number(), z.number()]),
      verdict: Verdict,
      cases: Count,
      meanA: z.number(),
      meanB: z.number(),
      difference: z.number(),
      interval: Interval.nullable(),
      p: z.number(),
      pAdjusted: z.number().nullable(),
      q: z.number().nullable(),
    }),
  ),
  budgets: z.array(
    z.object({
      measure: z.string(),
      unit: z.enum(["USD", "ms", "count"]),
      verdict: Verdict,
      gates: z.boolean(),
      notGatingBecause: z.string().nullable(),
      valueA: z.number(),
      valueB: z.number(),
      /** Null if the value before was zero. */
      ratio: z.number().nullable(),
      interval: Interval.nullable(),
      pAdjusted: z.number().nullable(),
      cases: Count,
    }),
  ),
  power: z.object({ text: z.string(), moreRuns: Count }).nullable(),
});
export type EvalSuiteComparison = z.infer<typeof EvalSuiteComparison>;

/**
 * `GET /api/evals/compare?a=<state>&b=<state>&suite&tier&mixJudges`. A state is `commit:<sha>` (all its runs, pooled) or a
 * run's ref; repeat the parameter for several. `b` defaults to the newest commit, `a` to the one before it.
 */
export const EvalComparison = z.object({
  verdict: Verdict,
  headline: z.string(),
  isCompared: z.boolean(),
  alpha: z.number(),
  familySize: Count,
  a: SideSummary.extend({ states: z.array(z.string()), commits: z.array(EvalCommit) }),
  b: SideSummary.extend({ states: z.array(z.string()), commits: z.array(EvalCommit) }),
  suites: z.array(EvalSuiteComparison),
  warnings: z.array(z.object({ kind: z.string(), suite: z.string().nullable(), text: z.string() })),
});
export type EvalComparison = z.infer<typeof EvalComparison>;

/** How many runs and results were read; older runs are left out. */
const Scope = z.object({ runs: Count, results: Count, olderRuns: Count });

/** `GET /api/evals/trend?suite&tier&branch`: oldest first. */
export const EvalTrend = z.object({
  suite: z.string(),
  tier: Tier,
  points: z.array(
    EvalState.extend({
      scores: z.record(z.string(), z.object({ mean: z.number(), results: Count })),
      breakBefore: z.enum(["judge changed", "new cases"]).nullable(),
      commit: EvalCommit.nullable(),
    }),
  ),
  scope: Scope,
  /** The line of development that is shown; runs of other branches are left out. Null if no run names a branch. */
  branch: z.string().nullable(),
  /** The models and prompt variants of the suite, and the one that is shown. */
  variants: z.array(z.string()),
  variant: z.string().nullable(),
});
export type EvalTrend = z.infer<typeof EvalTrend>;

/** `GET /api/evals/flaky?suite&tier`. */
export const EvalFlaky = z.object({
  cases: z.array(EvalFlakyCase),
  scope: Scope,
  /** The line of development whose runs were read. */
  branch: z.string().nullable(),
});
export type EvalFlaky = z.infer<typeof EvalFlaky>;

/** `GET /api/evals/cost?suite&tier&since`. */
export const EvalCosts = z.object({
  total: EvalMoney,
  scope: Scope,
  priceVersions: z.array(z.string()),
  models: z.array(EvalModelCost),
  /** The cost of each suite and tier. */
  suites: z.array(EvalMoney.extend({ suite: z.string(), tier: Tier, runs: Count, results: Count })),
  /** Oldest first; days without a run are left out. */
  days: z.array(EvalMoney.extend({ day: z.string(), runs: Count })),
  /** The cost of the same calls with the models of another tier; `usd` is null if none could be priced. */
  tiers: z.array(
    z.object({
      tier: z.enum(modelTiers),
      usd: z.number().nullable(),
      unchanged: z.array(z.string()),
      unpriced: z.array(z.string()),
    }),
  ),
  dearestRuns: z.array(EvalRunLine),
});
export type EvalCosts = z.infer<typeof EvalCosts>;

const JudgeAgreement = z.object({
  criterion: z.string(),
  items: Count,
  /** Agreement on scores; null if they do not vary or there are too few. */
  scores: z.number().nullable(),
  /** Agreement on pass or fail at the threshold. */
  verdicts: z.number().nullable(),
  mayGate: z.boolean(),
});

/** `GET /api/evals/judges?suite&tier`. */
export const EvalJudges = z.object({
  judges: z.array(EvalJudgeIdentity.extend({ runs: Count, firstAt: Time, lastAt: Time, suites: z.array(z.string()) })),
  /** Krippendorff's alpha between different judges of the same outputs. */
  agreement: z.array(JudgeAgreement),
  /** Agreement of a judge with itself, over several votes on the same output. */
  consistency: z.array(JudgeAgreement.extend({ model: z.string() })),
  /** The alpha from which a judge may gate, that is, affect an exit code. */
  gatingAlpha: z.number(),
  /** The difference between each judge and the mean of all votes on the same outputs. */
  leaning: z.array(z.object({ model: z.string(), criterion: z.string(), difference: z.number(), items: Count })),
  /** Mean score by criterion over time, one series per judge. */
  drift: z.array(
    z.object({
      judge: z.string(),
      criterion: z.string(),
      points: z.array(z.object({ at: Time, run: Ref, sha: z.string().nullable(), mean: z.number(), results: Count })),
    }),
  ),
  /** Judges compared with people's labels, by suite. */
  people: z.array(
    z.object({
      suite: z.string(),
      /** Null if the labels are about whole outputs. */
      criterion: z.string().nullable(),
      labels: Count,
      isEnough: z.boolean(),
      bothPass: Count,
      onlyJudge: Count,
      onlyHuman: Count,
      bothFail: Count,
      cohensKappa: z.number().nullable(),
      gwetsAc1: z.number().nullable(),
    }),
  ),
  scope: Scope,
});
export type EvalJudges = z.infer<typeof EvalJudges>;

export const EvalWatchWorker = z.object({
  pid: Count,
  state: z.enum(evalWorkerStates),
  results: Count,
  /** Null if the worker did not report it. */
  expected: Count.nullable(),
  /** The current case, if the worker reports it. */
  running: z.string().nullable(),
  updatedAt: Time,
});
export type EvalWatchWorker = z.infer<typeof EvalWatchWorker>;

export const EvalWatchRow = z.object({
  /** Unique, and increasing in the order in which results were seen. */
  no: Count,
  name: z.string(),
  /** Which model and prompt, if the run asks several. */
  variant: z.string().nullable(),
  category: z.string().nullable(),
  status: z.enum(evalStatuses),
  repeat: Count,
  durationMs: z.number().nullable(),
  usd: z.number().nullable(),
  score: z.number().nullable(),
  problem: z.string().nullable(),
  worker: Count,
});
export type EvalWatchRow = z.infer<typeof EvalWatchRow>;

/** `GET /api/evals/watch/:suite`: the state of a suite's newest run in progress; 404 if no worker writes partials. */
export const EvalWatch = z.object({
  suite: z.string(),
  runId: z.string().nullable(),
  label: z.string(),
  tier: Tier,
  startedAt: Time,
  updatedAt: Time,
  /** Increases with every change; another run starts with its own snapshot. */
  seq: Count,
  state: z.enum(evalWatchStates),
  done: Count,
  expected: Count.nullable(),
  tally: EvalTotals,
  cost: EvalMoney,
  /** Null until there is enough data. */
  eta: z.object({ ms: z.number(), lowMs: z.number(), highMs: z.number() }).nullable(),
  workers: z.array(EvalWatchWorker),
  /** Newest first, at most 200. */
  rows: z.array(EvalWatchRow),
  warnings: z.array(z.string()),
  /** `--max-usd` of a run that asks models itself; null without a budget. */
  budgetUsd: z.number().nullable(),
});
export type EvalWatch = z.infer<typeof EvalWatch>;

/** A change of `EvalWatch`: `workers` has only those that changed, `rows` only new ones; the other members are always included. */
export const EvalWatchDelta = EvalWatch.pick({
  seq: true,
  updatedAt: true,
  state: true,
  done: true,
  expected: true,
  tally: true,
  cost: true,
  eta: true,
  workers: true,
  rows: true,
  warnings: true,
});
export type EvalWatchDelta = z.infer<typeof EvalWatchDelta>;

/** `GET /api/evals/watch`. */
export const EvalWatchList = z.object({
  suites: z.array(EvalWatch.omit({ rows: true, warnings: true })),
});
export type EvalWatchList = z.infer<typeof EvalWatchList>;

/**
 * Events of `/sse/evals/watch?suite=`: `snapshot` (EvalWatch) first and whenever another run starts, `delta`
 * (EvalWatchDelta), `nothing` ({}) while no worker writes partials of the suite, `ready` ({}) once after the first of
 * these, `heartbeat` ({}).
 */
export const evalWatchEvents = ["snapshot", "delta", "nothing", "ready", "heartbeat"] as const;
export type EvalWatchEvent = (typeof evalWatchEvents)[number];
