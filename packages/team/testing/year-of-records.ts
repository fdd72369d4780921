/**
 * A made year of a team: five people, three repositories, everything that machines push. The same seed gives the same year.
 *
 * - `yearOfRecords(options)` the records, oldest first, each with the person who pushes it.
 *
 * The story: evals get better over the year with a dip two months ago; the mails of the support suite are never short enough; one ship
 * in ten has to be repaired; one reviewer cries wolf about style.
 */
import { uuidv5 } from "@devflow/core/ids";

export const people = ["Ada Lovelace", "Grace Hopper", "Alan Kay", "Barbara Liskov", "Edsger Dijkstra"] as const;
const repositories = ["github.com/acme/shop", "github.com/acme/api", "github.com/acme/mobile"] as const;

export interface MadeRecord {
  /** An index of `people`. */
  readonly person: number;
  readonly id: string;
  readonly kind: string;
  readonly schema_version: 1;
  readonly at: string;
  readonly repo: string;
  readonly payload: object;
}

const dayMs = 86_400_000;
const namespace = "8a3d9d0e-3a35-5b0d-8f65-0c8f4f0f9b11";
const suites = [
  { suite: "checkout-agent", cases: 18, weak: 0.04 },
  { suite: "support-mail", cases: 14, weak: 0.1 },
  { suite: "search-ranking", cases: 12, weak: 0.02 },
  { suite: "summaries", cases: 10, weak: 0.05 },
];
const models = ["claude-sonnet-4-6", "gpt-5-mini", "claude-haiku-4-5"];
const categories = ["null-check", "race-condition", "security", "style", "error-handling", "performance"];
const reviewers = ["greptile", "devflow review", "copilot"];
const files = [
  "src/cart/checkout.ts",
  "src/mail/reply.ts",
  "app/services/search.rb",
  "src/api/orders.ts",
  "lib/sync.ts",
];

export function yearOfRecords({
  nowMs,
  seed = 1,
  days = 365,
}: {
  nowMs: number;
  seed?: number;
  days?: number;
}): MadeRecord[] {
  const random = randomFrom(seed);
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const records: MadeRecord[] = [];
  let count = 0;
  const add = (
    kind: string,
    atMs: number,
    payload: object,
    more: { repo?: string; person?: number; id?: string } = {},
  ) => {
    count += 1;
    const { repo = pick(repositories), person = between(0, people.length - 1), id = idOf(seed, count) } = more;
    records.push({ person, id, kind, schema_version: 1, at: new Date(atMs).toISOString(), repo, payload });
    return id;
  };
  const versions = repositories.map(() => 0);
  const start = Math.floor(nowMs / dayMs) * dayMs - (days - 1) * dayMs;
  for (let day = 0; day < days; day += 1) {
    const midnight = start + day * dayMs;
    const isWeekend = [0, 6].includes(new Date(midnight).getUTCDay());
    const moment = () => Math.min(nowMs - 1000, midnight + between(8 * 60, 19 * 60) * 60_000);
    const date = new Date(midnight).toISOString().slice(0, 10);
    const dip = days - day < 70 && days - day > 50 ? 0.15 : 0;
    const quality = 0.86 + 0.1 * (day / days) - dip;
    for (let run = isWeekend ? between(0, 1) : between(2, 4); run > 0; run -= 1) addEvalRun(moment(), quality);
    repositories.forEach((repo, at) => {
      if (random() > (isWeekend ? 0.1 : 0.55)) return;
      const isFix = random() < 0.1 && versions[at]! > 0;
      const version = `1.${versions[at]! + 1}.0`;
      const fixes = isFix ? [`1.${versions[at]}.0`] : [];
      versions[at]! += 1;
      const lead = Math.round(3600 * (2 + random() * 30 * (1.4 - day / days)));
      const payload = {
        version,
        branch: isFix ? "hotfix/prod" : "main",
        pr_url: null,
        commits: between(1, 14),
        lead_seconds: lead,
        fixes,
      };
      add("ship_log", moment(), payload, { repo });
    });
    for (let finding = isWeekend ? 0 : between(0, 4); finding > 0; finding -= 1) {
      const category = pick(categories);
      const isAlarm = random() < (category === "style" ? 0.7 : 0.15);
      const outcome = isAlarm ? "fp" : random() < 0.85 ? "fix" : "already-fixed";
      add("review_triage", moment(), { date, outcome, category, reviewer: pick(reviewers), file_pattern: pick(files) });
    }
    if (!isWeekend && random() < 0.35) {
      const at = between(0, 2);
      const score = Math.min(100, Math.round(72 + 20 * (day / days) - 40 * dip + random() * 10));
      const issues = Array.from({ length: between(0, 5) }, (_, n) => ({
        title: `Issue ${n + 1}`,
        severity: "medium",
        category: "functional",
      }));
      add(
        "qa_report",
        moment(),
        { url: `https://${["shop", "api", "m"][at]}.acme.example`, mode: "evidence", health_score: score, issues },
        { repo: repositories[at]! },
      );
    }
    if (new Date(midnight).getUTCDay() === 5) {
      for (const repo of repositories) {
        const hot = files.slice(0, 3).map((path) => ({ path, commits: between(3, 20), lines: between(40, 900) }));
        const metrics = { commits: between(20, 90), people: between(2, 5), hot_spots: hot };
        add(
          "retro_snapshot",
          moment(),
          { date, window: "7d", metrics, authors: [], tweetable: `A week of ${repo.split("/").at(-1)}.` },
          { repo },
        );
      }
    }
  }
  addTranscripts();
  return records;

  /** With numbers of their own, so that the rest of the year stays as it is. Short prompts come from the one who has been there longest. */
  function addTranscripts() {
    const own = randomFrom(seed + 1000);
    const upTo = (most: number) => Math.floor(own() * most);
    for (let day = 0; day < days; day += 1) {
      const midnight = start + day * dayMs;
      if ([0, 6].includes(new Date(midnight).getUTCDay())) continue;
      for (let session = 1 + upTo(3); session > 0; session -= 1) {
        const person = upTo(4);
        const atMs = Math.min(nowMs - 1000, midnight + (9 * 60 + upTo(500)) * 60_000);
        const turns = 1 + upTo(4 + 2 * person);
        const prompts = Array.from({ length: turns }, (_, n) => ({
          ...{ role: "user", tools: [], at: new Date(atMs + n * 60_000).toISOString() },
          text: "Make the cart keep its items. ".repeat(2 + upTo(4 + 3 * person)),
        }));
        const isStopped = own() < 0.1;
        const stop = {
          role: "user",
          text: "[Request interrupted by user]",
          tools: [],
          at: new Date(atMs).toISOString(),
        };
        const edits = isStopped || own() < 0.3 ? {} : { Edit: 1 + upTo(9), Write: upTo(3) };
        const times = {
          started_at: new Date(atMs).toISOString(),
          ended_at: new Date(atMs + turns * 60_000).toISOString(),
        };
        const tools = { Bash: 2 + upTo(12), Read: 1 + upTo(15), Grep: upTo(6), ...edits };
        const messages = [...prompts, ...(isStopped ? [stop] : [])];
        const payload = { session_id: `s${day}-${session}`, turns, tools, ...times, messages };
        add("transcript", atMs, payload, { person, repo: repositories[upTo(3)] ?? repositories[0] });
      }
    }
  }

  function addEvalRun(atMs: number, quality: number) {
    const { suite, cases, weak } = pick(suites);
    const model = pick(models);
    const results = Array.from({ length: cases }, (_, n) => {
      const isPassed = random() < quality - (n === 0 ? 0.35 : weak);
      const brevity = suite === "support-mail" ? 0.3 + random() * 0.25 : 0.7 + random() * 0.25;
      return {
        name: `${suite} case ${n + 1}`,
        category: n % 2 === 0 ? "generation" : "tools",
        status: isPassed ? "pass" : random() < 0.05 ? "error" : "fail",
        scores: { accuracy: round(0.75 + random() * 0.24), brevity: round(brevity) },
        durationMs: between(800, 9000),
      };
    });
    const counted = (status: string) => results.filter((one) => one.status === status).length;
    const totals = {
      total: cases,
      passed: counted("pass"),
      failed: counted("fail"),
      errors: counted("error"),
      skipped: 0,
    };
    const usd = round(cases * (0.004 + random() * 0.02));
    const cost = {
      models: [
        {
          model,
          calls: cases * 2,
          inputTokens: cases * 2400,
          outputTokens: cases * 420,
          actualUsd: 0,
          estimatedUsd: usd,
        },
      ],
      actualUsd: 0,
      estimatedUsd: usd,
    };
    const repo = pick(repositories);
    const person = between(0, people.length - 1);
    const branch = random() < 0.7 ? "main" : pick(["feature/cart", "feature/mail", "fix/search"]);
    const run = {
      ...{
        suite,
        runId: `r${count}`,
        label: branch,
        tier: random() < 0.8 ? "standard" : "full",
        at: new Date(atMs).toISOString(),
      },
      ...{ gitSha: null, gitBranch: branch, model, host: "desk", durationMs: cases * 4000, totals },
    };
    const criteria = { accuracy: { count: cases, mean: 0.86 }, brevity: { count: cases, mean: 0.6 } };
    const id = add("eval_run", atMs, { format: 1, run, summary: { criteria, cost } }, { repo, person });
    add("eval_results", atMs, { run: id, suite, index: 0, last: true, results }, { repo, person });
  }
}

const idOf = (seed: number, count: number): string => uuidv5(namespace, `${seed}/${count}`);
const round = (value: number): number => Math.round(value * 1000) / 1000;

/** mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
