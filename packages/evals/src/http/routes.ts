/**
 * HTTP routes for evals; the contracts are in `@devflow/protocol`. Read-only, except for people's labels.
 *
 * - `evalRoutes(parts)` → `api` for `/api/evals`, `live` for `/sse/evals`; `stop()` ends the streams. The caller closes the
 *   store, and the server that mounts the routes checks who may read.
 */
import { DevflowError } from "@devflow/core/errors";
import type { PriceBook } from "@devflow/prices";
import { evalResultSorts, evalStatuses, evalTiers } from "@devflow/protocol";
import { evalExports } from "@devflow/protocol/eval-enums";
import { Hono } from "hono";
import { z } from "zod";
import type { CompareReport, Quarantine } from "../compare/index.ts";
import type { HumanLabel, JudgedOutput } from "../judges/index.ts";
import type { EvalStore, RunFilter } from "../store/index.ts";
import { caseView } from "./case-view.ts";
import { compareView } from "./compare-view.ts";
import { costView } from "./cost-view.ts";
import { exportView } from "./export-view.ts";
import { flakyView } from "./flaky-view.ts";
import { judgesView } from "./judges-view.ts";
import { addLabel, type LabelParts, labelsView } from "./labels-view.ts";
import { matrixView } from "./matrix-view.ts";
import { type EvalsEnv, Flag, Name, ordinalOf, partOf, queryOf, Whole } from "./request.ts";
import { outputsView, resultView } from "./result-view.ts";
import { lineView } from "./run-line.ts";
import { runView } from "./run-view.ts";
import { storedRuns } from "./stored-runs.ts";
import { suitesView } from "./suites-view.ts";
import { trendView } from "./trend-view.ts";
import { type WatchSource, type WatchStreamOptions, watchStreams } from "./watch-stream.ts";

export interface EvalRoutesParts {
  readonly store: EvalStore;
  readonly watch: WatchSource;
  readonly quarantines?: () => Promise<readonly Quarantine[]>;
  /** People's labels of a suite's outputs. */
  readonly labels?: (suite: string) => Promise<readonly HumanLabel[]>;
  /** Default: the bundled prices. */
  readonly prices?: () => Promise<PriceBook>;
  /** Absent where labels cannot be added. */
  readonly writeLabel?: LabelParts["writeLabel"];
  readonly streams?: WatchStreamOptions;
}

export interface EvalRoutes {
  readonly api: Hono<EvalsEnv>;
  readonly live: Hono<EvalsEnv>;
  readonly subscribers: number;
  stop(): void;
}

const Filter = z.object({
  suite: Name.optional(),
  label: Name.optional(),
  branch: Name.optional(),
  tier: Name.optional(),
  since: z.iso.datetime({ offset: true }).or(z.iso.date()).optional(),
  sha: Name.optional(),
  failed: Flag.optional(),
});
const ListQuery = Filter.extend({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  after: Name.optional(),
});
const Statuses = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(z.enum(evalStatuses)));
const ResultsQuery = z.object({
  page: Whole(1_000_000).default(0),
  pageSize: z.coerce.number().int().min(1).max(200).default(50),
  status: Statuses.optional(),
  category: z.string().max(2000).optional(),
  name: Name.optional(),
  text: Name.optional(),
  criterion: Name.optional(),
  below: z.coerce.number().default(0.5),
  /** `key=value`. */
  metadata: Name.regex(/^[^=]+=/)
    .transform((given) => ({ key: given.slice(0, given.indexOf("=")), value: given.slice(given.indexOf("=") + 1) }))
    .optional(),
  sort: z.enum(evalResultSorts).default("order"),
  descending: Flag.default(false),
});
const OutputsQuery = z.object({ a: Name, aOrdinal: Whole(1e9), b: Name, bOrdinal: Whole(1e9) });
const MatrixQuery = z.object({ page: Whole(1_000_000).default(0), differing: Flag.default(false) });
const TrendQuery = Filter.extend({ suite: Name, tier: z.enum(evalTiers), variant: Name.optional() });
/** `a` and `b` may be repeated, and are read as lists. */
const CompareQuery = Filter.pick({ suite: true, tier: true }).extend({
  mixJudges: Flag.default(false),
  a: z.string().optional(),
  b: z.string().optional(),
});

export function evalRoutes(parts: EvalRoutesParts): EvalRoutes {
  const { store, watch } = parts;
  const { quarantines = async () => [], labels = async () => [], prices = usualPrices } = parts;
  const runs = storedRuns(store);
  const kept = new Map<string, CompareReport>();
  const judged = new Map<string, readonly JudgedOutput[]>();
  const streams = watchStreams(watch, parts.streams);

  const api = new Hono<EvalsEnv>()
    .use(async (c, next) => {
      c.header("cache-control", "no-store");
      await next();
    })
    .get("/suites", (c) => c.json(suitesView(store)))
    .get("/runs", (c) => {
      const { limit, after, ...filter } = queryOf(c, ListQuery);
      const page = store.list({ ...filterOf(filter), limit, ...(after === undefined ? {} : { after }) });
      return c.json({ ...page, runs: page.runs.map(lineView) });
    })
    .get("/runs/:ref", async (c) => c.json(await runView(store, runs, partOf(c, "ref"))))
    .get("/runs/:ref/results", async (c) => {
      const { status, category, name, text, criterion, below, metadata, ...query } = queryOf(c, ResultsQuery);
      const filter = {
        ...(text ? { text } : {}),
        ...(metadata ? { metadata } : {}),
        ...(criterion ? { below: { criterion, limit: below } } : {}),
        ...(status ? { status } : {}),
        ...(category === undefined ? {} : { category }),
        ...(name ? { name } : {}),
      };
      return c.json(await store.results(partOf(c, "ref"), { ...query, filter }));
    })
    .get("/runs/:ref/matrix", async (c) =>
      c.json(await matrixView(store, runs, partOf(c, "ref"), queryOf(c, MatrixQuery))),
    )
    .get("/runs/:ref/export", async (c) => {
      const { as } = queryOf(c, z.object({ as: z.enum(evalExports) }));
      return exportView(store, partOf(c, "ref"), as);
    })
    .get("/runs/:ref/results/:ordinal/labels", async (c) => {
      const place = { run: partOf(c, "ref"), ordinal: ordinalOf(partOf(c, "ordinal")) };
      return c.json(await labelsView(store, labels, place));
    })
    .post("/runs/:ref/results/:ordinal/label", async (c) => {
      const place = { run: partOf(c, "ref"), ordinal: ordinalOf(partOf(c, "ordinal")) };
      return c.json(await addLabel(store, parts, place, await c.req.json().catch(() => null)));
    })
    .get("/runs/:ref/results/:ordinal", async (c) =>
      c.json(await resultView(store, { run: partOf(c, "ref"), ordinal: ordinalOf(partOf(c, "ordinal")) })),
    )
    .get("/cases/:key", (c) => {
      const { suite, tier } = queryOf(c, z.object({ suite: Name, tier: Name.optional() }));
      return c.json(caseView(store, { key: partOf(c, "key"), suite, tier }));
    })
    .get("/outputs", async (c) => {
      const { a, aOrdinal, b, bOrdinal } = queryOf(c, OutputsQuery);
      return c.json(await outputsView(store, { run: a, ordinal: aOrdinal }, { run: b, ordinal: bOrdinal }));
    })
    .get("/compare", async (c) => {
      const { suite, tier, mixJudges } = queryOf(c, CompareQuery);
      const [a, b] = [statesOf(c.req.queries("a")), statesOf(c.req.queries("b"))];
      return c.json(await compareView({ store, runs, quarantines, kept }, { suite, tier, mixJudges, a, b }));
    })
    .get("/trend", async (c) => {
      const { suite, tier, branch, variant } = queryOf(c, TrendQuery);
      const chosen = { ...(branch === undefined ? {} : { branch }), ...(variant === undefined ? {} : { variant }) };
      return c.json(await trendView(store, runs, { suite, tier, ...chosen }));
    })
    .get("/flaky", async (c) => c.json(await flakyView(store, runs, filterOf(queryOf(c, Filter)))))
    .get("/cost", async (c) => c.json(await costView(store, prices, filterOf(queryOf(c, Filter)))))
    .get("/judges", async (c) => c.json(await judgesView({ store, labels, judged }, filterOf(queryOf(c, Filter)))))
    .get("/watch", async (c) => {
      const found = await Promise.all((await watch.suites()).slice(0, 50).map((suite) => watch.read(suite)));
      return c.json({ suites: found.flatMap((one) => (one ? [withoutRows(one)] : [])) });
    })
    .get("/watch/:suite", async (c) => {
      const suite = partOf(c, "suite");
      const found = await watch.read(suite);
      if (found) return c.json(found);
      throw new DevflowError("not_found", {
        details: { what: `A run of ${suite} in progress`, next: "devflow eval check <cases> <outputs>" },
      });
    });

  const live = new Hono<EvalsEnv>().get("/watch", (c) => {
    const { suite } = queryOf(c, z.object({ suite: Name }));
    const stream = streams.open(suite, c.var.caller?.expiresAtMs);
    // Proxies close idle connections, and there may be long pauses between results.
    c.env?.server?.timeout(c.req.raw, 0);
    return new Response(stream, {
      headers: {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      },
    });
  });

  return {
    api,
    live,
    get subscribers() {
      return streams.subscribers;
    },
    stop: () => streams.stop(),
  };
}

function filterOf({ sha, ...filter }: z.output<typeof Filter>): RunFilter {
  const given = Object.entries({ ...filter, gitSha: sha }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as RunFilter;
}

function statesOf(given: readonly string[] | undefined): string[] {
  return z
    .array(Name)
    .max(50)
    .parse(given ?? []);
}

function withoutRows<T extends { rows: unknown; warnings: unknown }>({ rows: _rows, warnings: _warnings, ...rest }: T) {
  return rest;
}

async function usualPrices(): Promise<PriceBook> {
  const { openPrices } = await import("@devflow/prices");
  return openPrices();
}
