/**
 * Made decisions and questions about them, the same for the same seed. A team's decisions resemble each other: the same few
 * systems and concerns come up again and again, so that the right one has to be told from its neighbours.
 *
 * - `makeCorpus(amount)` decisions; every eighth replaces an earlier one.
 * - `makeQuestions(corpus, amount)` each with the decisions that answer it: those that hold.
 */
export interface MadeDecision {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly files: readonly string[];
  readonly features: readonly string[];
  readonly supersedes: string | null;
  /** What it is about, to judge answers by. */
  readonly about: { readonly subject: string; readonly choice: string; readonly reason: string };
}

export interface Question {
  readonly kind: "keywords" | "question" | "reason" | "misspelt" | "superseded" | "file";
  readonly text: string;
  readonly file?: string;
  readonly answers: readonly string[];
}

const areas =
  "billing login checkout search catalog shipping invoice payout inventory pricing coupon refund webhook mailer import export audit admin mobile analytics report session profile upload image cart subscription tax ledger fraud support chat notification scheduler gateway cache archive metrics onboarding consent".split(
    " ",
  );
const concerns = [
  "retry policy",
  "rate limit",
  "storage engine",
  "queue",
  "error format",
  "pagination",
  "idempotency key",
  "time zone",
  "encryption",
  "feature flag",
  "schema migration",
  "logging",
  "timeout",
  "batch size",
  "serialization",
  "access control",
  "background job",
  "data retention",
  "test fixture",
  "release train",
];
const choices = [
  "exponential backoff",
  "token buckets",
  "Postgres partitions",
  "Redis streams",
  "problem details",
  "keyset cursors",
  "client made uuids",
  "UTC everywhere",
  "envelope keys",
  "percentage rollouts",
  "expand and contract",
  "structured events",
  "five second deadlines",
  "chunks of five hundred",
  "protobuf",
  "row level security",
  "leases with heartbeats",
  "ninety day expiry",
  "seeded snapshots",
  "weekly trains",
  "circuit breakers",
  "sqlite files",
  "object locks",
  "vector clocks",
];
const reasons = [
  "the provider throttled us during the spring sale",
  "two workers processed one order twice",
  "the nightly job overran into office hours",
  "customers in Lisbon saw yesterday's date",
  "an auditor asked for proof of deletion",
  "the replica lagged by eleven minutes",
  "a partner resent the same callback forty times",
  "memory grew until the pod was killed",
  "support could not explain a charge",
  "the mobile app kept stale prices",
  "a leaked key had to be rotated overnight",
  "the index no longer fit in memory",
  "offset scans timed out on page nine hundred",
  "deploys needed a maintenance window",
  "flaky tests hid a real regression",
  "the vendor raised its prices",
];

export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <T>(list: readonly T[], next: () => number): T => list[Math.floor(next() * list.length)] as T;
const idOf = (n: number): string => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;

export function makeCorpus(amount: number, seed = 7): MadeDecision[] {
  const next = random(seed);
  const made: MadeDecision[] = [];
  const replaced = new Set<string>();
  for (let n = 0; n < amount; n++) {
    const old = n % 8 === 7 ? made.slice(-200).find(({ id }) => !replaced.has(id)) : undefined;
    const [area, concern] = (old?.about.subject ?? `${pick(areas, next)}|${pick(concerns, next)}`).split("|") as [
      string,
      string,
    ];
    const choice = pick(
      choices.filter((one) => one !== old?.about.choice),
      next,
    );
    const reason = pick(reasons, next);
    const other = pick(
      choices.filter((one) => one !== choice),
      next,
    );
    if (old) replaced.add(old.id);
    made.push({
      id: idOf(n + 1),
      title: `${area.charAt(0).toUpperCase()}${area.slice(1)} ${concern}: ${choice}`,
      body: `We decided on ${choice} for the ${concern} of ${area}, because ${reason}. We considered ${other}, which needs more care in operation. Reviewed by the ${pick(areas, next)} people; see also the notes on ${pick(concerns, next)}.`,
      files: [`src/${area}/${concern.replaceAll(" ", "-")}.ts`],
      features: [area],
      supersedes: old?.id ?? null,
      about: { subject: `${area}|${concern}`, choice, reason },
    });
  }
  return made;
}

export function makeQuestions(corpus: readonly MadeDecision[], amount: number, seed = 11): Question[] {
  const next = random(seed);
  const gone = new Set(corpus.flatMap(({ supersedes }) => supersedes ?? []));
  const holding = corpus.filter(({ id }) => !gone.has(id));
  const successor = new Map(corpus.flatMap((one) => (one.supersedes ? [[one.supersedes, one] as const] : [])));
  const current = (one: MadeDecision): MadeDecision => {
    let now = one;
    for (let after = successor.get(now.id); after; after = successor.get(now.id)) now = after;
    return now;
  };
  const same = (isSame: (one: MadeDecision) => boolean) => holding.filter(isSame).map(({ id }) => id);
  const kinds: readonly Question["kind"][] = ["keywords", "question", "reason", "misspelt", "superseded", "file"];
  return Array.from({ length: amount }, (_, n) => ask(n));

  function ask(n: number): Question {
    const kind = kinds[n % kinds.length] ?? "keywords";
    const old = pick(
      [...successor.keys()].flatMap((id) => corpus.find((one) => one.id === id) ?? []),
      next,
    );
    const one = kind === "superseded" ? old : pick(holding, next);
    const [area, concern] = one.about.subject.split("|") as [string, string];
    const bySubject = same(({ about }) => about.subject === one.about.subject);
    switch (kind) {
      case "keywords":
        return {
          kind,
          text: `${area} ${concern} ${one.about.choice}`,
          answers: same(({ about }) => about.subject === one.about.subject && about.choice === one.about.choice),
        };
      case "question":
        return { kind, text: `How do we handle the ${concern} in ${area}?`, answers: bySubject };
      case "reason":
        return {
          kind,
          text: `${area}: what did we do after ${one.about.reason}?`,
          answers: same(({ about }) => about.subject.startsWith(`${area}|`) && about.reason === one.about.reason),
        };
      case "misspelt":
        return { kind, text: `${misspelt(area)} ${concern}`, answers: bySubject };
      case "superseded":
        return {
          kind,
          text: `${area} ${concern} ${one.about.choice}`,
          answers: [
            ...new Set([
              current(one).id,
              ...same(({ about }) => about.subject === one.about.subject && about.choice === one.about.choice),
            ]),
          ],
        };
      case "file":
        return { kind, text: concern, file: one.files[0] ?? "", answers: bySubject };
    }
  }
}

/** Two letters in the middle exchanged. */
function misspelt(word: string): string {
  const at = Math.max(1, Math.floor(word.length / 2) - 1);
  return `${word.slice(0, at)}${word[at + 1] ?? ""}${word[at] ?? ""}${word.slice(at + 2)}`;
}
