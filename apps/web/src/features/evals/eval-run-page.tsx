/** One eval run: its numbers, failures by category and message, the slowest and most expensive results, and all results. */
import type { EvalRunDetail } from "@devflow/protocol";
import { Link, useParams } from "@tanstack/react-router";
import {
  intervalText,
  milliseconds,
  moneyNote,
  moneyText,
  percent,
  plural,
  runWord,
  score,
  shortSha,
  usd,
} from "../../model/evals/eval-words.ts";
import { isMissing } from "../../model/runs/live-run.ts";
import { BackLink } from "../../parts/back-link.tsx";
import { StatusBar } from "../../parts/charts/bars.tsx";
import { IntervalMark } from "../../parts/charts/interval-mark.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { Download } from "./download.tsx";
import { useEvalRun } from "./eval-queries.ts";
import { Histograms } from "./histograms.tsx";
import { Matrix } from "./matrix.tsx";
import { Results } from "./results.tsx";
import { VariantMatrix } from "./variant-matrix.tsx";

export function EvalRunPage() {
  const { ref } = useParams({ from: "/evals/runs/$ref" });
  const run = useEvalRun(ref);
  return (
    <Page
      title={run.data?.run.suite ?? "Eval run"}
      broad
      isLoading={!run.data}
      above={<BackLink to="/evals">Eval runs</BackLink>}
      actions={run.data && <Actions run={run.data} />}
      lead={run.data && <Lead run={run.data} />}
    >
      {run.isPending && (
        <div className="rounded-panel border border-line">
          <SkeletonRows count={8} />
        </div>
      )}
      {run.error && isMissing(run.error) && (
        <EmptyNote title="No such eval run" command="devflow eval list">
          It was removed, or was never pushed to this machine.
        </EmptyNote>
      )}
      {run.error && !isMissing(run.error) && <FaultNote fault={run.error} onRetry={() => void run.refetch()} />}
      {run.data && <Content run={run.data} />}
    </Page>
  );
}

function Content({ run }: { run: EvalRunDetail }) {
  const { clusters, slow, dear } = run;
  return (
    <div className="grid grid-cols-1 gap-8">
      <Numbers run={run} />
      <Notes run={run} />
      <VariantMatrix run={run} />
      <Matrix run={run} />
      <Histograms run={run} />
      <Panel title="Why it failed">
        {clusters.length === 0 ? <EmptyNote title="Nothing failed" /> : <Clusters run={run} />}
      </Panel>
      <div className="grid grid-cols-1 gap-8 broad:grid-cols-2">
        <Panel title="Slowest">
          <Notable run={run} rows={slow} none="No durations reported" value={(row) => milliseconds(row.durationMs)} />
        </Panel>
        <Panel title="Most expensive">
          <Notable run={run} rows={dear} none="No results with a known price" value={(row) => usd(row.usd)} />
        </Panel>
      </div>
      <Results run={run} />
    </div>
  );
}

function Lead({ run: { run, judges, commit } }: { run: EvalRunDetail }) {
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <StateWord {...runWord(run)} />
      <span className="font-mono text-meta">{run.runId}</span>
      <span>{run.label}</span>
      <span>{run.tier}</span>
      <span className="font-mono text-meta">{shortSha(run.gitSha)}</span>
      {commit && (
        <span className="min-w-0 break-words">
          {commit.subject} · {commit.author}
        </span>
      )}
      {run.gitBranch && <span>{run.gitBranch}</span>}
      {run.model && <span>{run.model}</span>}
      {run.variant && <span>{run.variant}</span>}
      {run.isPartial && <span className="text-warn">partial</span>}
      {judges.length > 0 && <span>judged by {judges.map(({ model }) => model).join(", ")}</span>}
      <RelativeTime at={run.at} />
    </span>
  );
}

function Actions({ run: { run, previous } }: { run: EvalRunDetail }) {
  const button = "inline-flex h-8 items-center rounded-small border px-3 font-medium";
  const { suite, tier } = run;
  return (
    <div className="flex flex-wrap gap-2">
      {previous && (
        <Link
          to="/evals/compare"
          search={{ suite, tier, a: previous.a, b: previous.b }}
          className={`${button} border-accent bg-accent text-on-accent hover:opacity-90`}
        >
          Compare with previous run
        </Link>
      )}
      <Link
        to="/evals/trends"
        search={{ suite, tier }}
        className={`${button} border-line-strong bg-raised hover:bg-hover`}
      >
        Trend
      </Link>
      <Download run={run.ref} />
    </div>
  );
}

function Numbers({ run: { run, durations, cost, cachedResults } }: { run: EvalRunDetail }) {
  const numbers = [
    {
      name: "Results",
      value: String(run.total),
      note: `${run.failed} failed, ${plural(run.errors, "error")}, ${run.skipped} skipped`,
    },
    { name: "Cost", value: moneyText(cost), note: moneyNote(cost) },
    {
      name: "Latency",
      value: durations ? milliseconds(durations.p50Ms) : "–",
      note: durations ? `median; 95 % within ${milliseconds(durations.p95Ms)}` : "no durations reported",
    },
    {
      name: "Duration",
      value: milliseconds(run.durationMs),
      note: cachedResults > 0 ? `${cachedResults} from the cache` : (run.host ?? ""),
    },
  ];
  return (
    <section aria-label="Numbers" className="grid gap-3">
      <div className="grid grid-cols-2 gap-px overflow-hidden rounded-panel border border-line bg-line broad:grid-cols-5">
        <div className="col-span-2 grid content-start gap-1 bg-raised p-4 broad:col-span-1">
          <span className="text-meta text-ink-soft">Passed</span>
          <span className="flex items-center gap-3">
            <span className="font-medium tabular-nums">{percent(run.passRate)}</span>
            <IntervalMark value={run.passRate} {...run.interval} />
          </span>
          <span className="text-meta text-ink-soft tabular-nums">95 % interval {intervalText(run.interval)}</span>
        </div>
        {numbers.map(({ name, value, note }) => (
          <div key={name} className="grid min-w-0 content-start gap-1 bg-raised p-4">
            <span className="text-meta text-ink-soft">{name}</span>
            <span className="font-medium tabular-nums">{value}</span>
            <span className="text-meta break-words text-ink-soft">{note}</span>
          </div>
        ))}
      </div>
      <StatusBar totals={run} />
    </section>
  );
}

function Notes({ run: { warnings, losses, superseded, run } }: { run: EvalRunDetail }) {
  const lines = [
    ...warnings,
    ...losses.map((loss) => `Not imported from ${run.source}: ${loss}`),
    ...(superseded > 0 ? [`${plural(superseded, "result")} reported by two workers; the last one counts.`] : []),
  ];
  if (lines.length === 0) return null;
  return (
    <section aria-label="Warnings" className="rounded-panel border border-line bg-warn-soft px-4 py-3">
      <h2 className="text-body text-warn">{plural(lines.length, "warning")}</h2>
      <ul className="mt-1 grid gap-1">
        {lines.map((line) => (
          <li key={line} className="break-words">
            {line}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Clusters({ run: { clusters, run } }: { run: EvalRunDetail }) {
  return (
    <ol className="divide-y divide-line">
      {clusters.map(({ message, count, cases }) => (
        <li key={message} className="grid grid-cols-[3.5rem_minmax(0,1fr)] gap-3 px-4 py-3">
          <span className="text-right font-medium tabular-nums">
            {count}
            <span className="block text-meta font-normal text-ink-soft">{percent(count / Math.max(1, run.total))}</span>
          </span>
          <span className="min-w-0">
            <span className="block break-words">{message}</span>
            <span className="mt-1 flex flex-wrap gap-x-3 gap-y-1 text-meta">
              {cases.map((name) => (
                <Link
                  key={name}
                  to="/evals/cases/$suite/$key"
                  params={{ suite: run.suite, key: name }}
                  className="max-w-full truncate text-accent underline underline-offset-2"
                >
                  {name}
                </Link>
              ))}
              {count > cases.length && <span className="text-ink-soft">and {count - cases.length} more</span>}
            </span>
          </span>
        </li>
      ))}
    </ol>
  );
}

type NotableRow = EvalRunDetail["slow"][number];

function Notable(props: {
  run: EvalRunDetail;
  rows: readonly NotableRow[];
  none: string;
  value: (row: NotableRow) => string;
}) {
  if (props.rows.length === 0) {
    return <EmptyNote title={props.none} />;
  }
  return (
    <ol className="divide-y divide-line">
      {props.rows.map((row) => (
        <li key={row.ordinal} className="flex min-h-9 items-center gap-3 px-4">
          <Link
            to="/evals/cases/$suite/$key"
            params={{ suite: props.run.run.suite, key: row.caseKey }}
            search={{ b: `${row.ordinal}@${props.run.run.ref}` }}
            className="min-w-0 flex-1 truncate hover:underline"
            title={row.name}
          >
            {row.name}
          </Link>
          <span className="text-meta text-ink-soft tabular-nums">
            {row.score === null ? "" : `score ${score(row.score)}`}
          </span>
          <span className="w-20 text-right font-medium tabular-nums">{props.value(row)}</span>
        </li>
      ))}
    </ol>
  );
}
