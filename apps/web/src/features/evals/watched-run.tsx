/** One eval run in progress: counts, cost, time left, workers, and results as they arrive. */
import type { EvalWatch, EvalWatchRow, EvalWatchWorker } from "@devflow/protocol";
import {
  milliseconds,
  moneyNote,
  moneyText,
  percent,
  plural,
  score,
  shellWord,
  statusWord,
  usd,
  watchWord,
  workerWord,
} from "../../model/evals/eval-words.ts";
import { duration } from "../../model/runs/run-words.ts";
import { StatusBar } from "../../parts/charts/bars.tsx";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Elapsed } from "../../parts/elapsed.tsx";
import { Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, SkeletonRows } from "../../parts/states.tsx";
import { useLiveWatch } from "./use-live-watch.ts";

export function WatchedRun({ suite }: { suite: string }) {
  const { view, live } = useLiveWatch(suite);
  return (
    <section aria-label={suite} className="grid grid-cols-1 gap-6" data-watch={live.is}>
      {live.is === "lost" && (
        <p role="status" className="rounded-panel border border-line bg-warn-soft px-4 py-2">
          Connection lost. Showing the last results received; updates resume when the server is back.
        </p>
      )}
      {view.is === "unknown" && (
        <div className="rounded-panel border border-line">
          <SkeletonRows count={6} />
        </div>
      )}
      {view.is === "nothing" && (
        <div className="rounded-panel border border-line bg-raised">
          <EmptyNote title={`No results from ${suite} yet`} command="devflow eval list">
            The run has not started, or was pushed and its partials were removed.
          </EmptyNote>
        </div>
      )}
      {view.is === "watching" && <Content run={view.run} />}
    </section>
  );
}

function Content({ run }: { run: EvalWatch }) {
  const dead = run.workers.filter(({ state }) => state === "dead");
  // Deaths have their own list.
  const remarks = run.warnings.filter((text) => !/^Worker \d+ died/.test(text)).slice(0, 5);
  return (
    <>
      <Progress run={run} />
      {dead.length > 0 && (
        <div role="alert" className="rounded-panel border border-line bg-bad-soft px-4 py-3">
          <p className="font-medium text-bad">{plural(dead.length, "worker")} died.</p>
          <ul className="mt-1 grid gap-1">
            {dead.map((worker) => (
              <li key={worker.pid}>{deathOf(worker)}</li>
            ))}
          </ul>
        </div>
      )}
      {remarks.length > 0 && (
        <ul aria-label="Remarks" className="grid gap-1 rounded-panel border border-line bg-warn-soft px-4 py-2">
          {remarks.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <Panel title="Workers">
        <ul className="divide-y divide-line">
          {run.workers.map((worker) => (
            <WorkerRow key={worker.pid} worker={worker} />
          ))}
        </ul>
      </Panel>
      <Panel title="Results" aside={<span className="text-meta text-ink-soft">Newest {run.rows.length}</span>}>
        {run.rows.length === 0 ? <EmptyNote title="No results yet" /> : <Rows rows={run.rows} />}
      </Panel>
      {run.state !== "running" && (
        <p className="flex flex-wrap items-center gap-2">
          Save these results: <CopyCommand command={`devflow eval push --partials ${shellWord(run.suite)}`} />
        </p>
      )}
    </>
  );
}

function deathOf({ pid, results, expected, running }: EvalWatchWorker): string {
  const missing = expected !== null && expected > results ? `, ${expected - results} missing` : "";
  return `Worker ${pid} died after ${plural(results, "result")}${missing}${running ? `, while running “${running}”` : ""}.`;
}

function Progress({ run }: { run: EvalWatch }) {
  const { tally, expected, done, eta, cost } = run;
  const decided = tally.passed + tally.failed;
  const numbers = [
    {
      name: "Done",
      value: expected === null ? String(done) : `${done} of ${expected}`,
      note: expected === null ? "the workers did not report a total" : percent(done / Math.max(1, expected)),
    },
    {
      name: "Passed",
      value: percent(decided === 0 ? null : tally.passed / decided),
      note: `${tally.failed} failed, ${plural(tally.errors, "error")}`,
    },
    {
      name: "Cost",
      value: moneyText(cost),
      note: run.budgetUsd === null ? moneyNote(cost) : `of at most ${usd(run.budgetUsd)}`,
    },
    {
      name: "Time left",
      value: eta ? duration(eta.ms) : run.state === "running" ? "unknown" : "–",
      note: eta ? `${duration(eta.lowMs)} to ${duration(eta.highMs)}` : "",
    },
  ];
  return (
    <section aria-label="Progress" className="grid gap-3">
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1" data-watch-state={run.state}>
        <span className="font-medium">{run.suite}</span>
        <StateWord {...watchWord(run.state)} />
        <span className="text-ink-soft">
          {run.label} · {run.tier}
        </span>
        {run.runId && <span className="font-mono text-meta text-ink-soft">{run.runId}</span>}
        <span className="text-ink-soft">
          <Elapsed of={{ startedAt: run.startedAt, endedAt: run.state === "running" ? null : run.updatedAt }} />
        </span>
      </p>
      <StatusBar totals={tally} of={Math.max(expected ?? 0, tally.total)} />
      <div className="grid grid-cols-2 gap-px overflow-hidden rounded-panel border border-line bg-line broad:grid-cols-4">
        {numbers.map(({ name, value, note }) => (
          <div key={name} className="grid min-w-0 content-start gap-1 bg-raised p-4">
            <span className="text-meta text-ink-soft">{name}</span>
            <span className="text-title tabular-nums">{value}</span>
            <span className="min-h-4 text-meta break-words text-ink-soft">{note}</span>
          </div>
        ))}
      </div>
    </section>
  );
}

function WorkerRow({ worker }: { worker: EvalWatchWorker }) {
  const of = worker.expected;
  const bar = { total: worker.results, passed: 0, failed: 0, errors: 0, skipped: worker.results };
  return (
    <li
      data-worker={worker.pid}
      data-worker-state={worker.state}
      className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-2 wide:grid-cols-[7rem_7rem_minmax(0,1fr)_8rem_6rem]"
    >
      <span className="font-mono text-meta">worker {worker.pid}</span>
      <StateWord {...workerWord(worker.state)} />
      <span className="hidden min-w-0 truncate text-meta text-ink-soft wide:block">{worker.running ?? ""}</span>
      <span className="grid gap-1 text-meta tabular-nums">
        {worker.results}
        {of !== null && ` of ${of}`}
        {of !== null && <StatusBar totals={bar} of={Math.max(of, worker.results)} />}
      </span>
      <span className="text-right text-meta text-ink-soft">
        <RelativeTime at={worker.updatedAt} />
      </span>
    </li>
  );
}

function Rows({ rows }: { rows: readonly EvalWatchRow[] }) {
  return (
    <table className="w-full table-fixed border-collapse text-left">
      <caption className="sr-only">Results, newest first</caption>
      <thead>
        <tr className="h-8 border-b border-line bg-sunken text-meta text-ink-soft">
          <th scope="col" className="px-3 font-normal">
            Case
          </th>
          <th scope="col" className="w-26 px-3 font-normal">
            Status
          </th>
          <th scope="col" className="hidden w-20 px-3 text-right font-normal wide:table-cell">
            Score
          </th>
          <th scope="col" className="hidden w-24 px-3 text-right font-normal wide:table-cell">
            Duration{" "}
          </th>
          <th scope="col" className="hidden w-24 px-3 text-right font-normal wide:table-cell">
            Cost
          </th>
          <th scope="col" className="hidden w-28 px-3 text-right font-normal wide:table-cell">
            Worker
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {rows.map((row) => (
          <tr key={row.no} className="flash h-12" data-row-no={row.no}>
            <td className="px-3">
              <span className="block truncate font-medium" title={row.name}>
                {row.name}
              </span>
              <span className="block truncate text-meta text-ink-soft">
                {[row.variant, row.problem ?? row.category].filter(Boolean).join(" · ")}
              </span>
            </td>
            <td className="px-3">
              <StateWord {...statusWord(row.status)} />
            </td>
            <td className="hidden px-3 text-right tabular-nums wide:table-cell">{score(row.score)}</td>
            <td className="hidden px-3 text-right tabular-nums wide:table-cell">{milliseconds(row.durationMs)}</td>
            <td className="hidden px-3 text-right tabular-nums wide:table-cell">
              {row.usd === null ? "–" : usd(row.usd)}
            </td>
            <td className="hidden px-3 text-right font-mono text-meta text-ink-soft wide:table-cell">{row.worker}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
