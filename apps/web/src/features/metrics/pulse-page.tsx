/** The team at a glance: what was shipped, how evals, QA and reviews stand, and where the work is. */
import { markBidi, type TeamOverview } from "@devflow/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { percent, plural } from "../../model/evals/eval-words.ts";
import { rangeOf } from "../../model/evals/scale.ts";
import { endOfStep, money, stepName, wholePercent } from "../../model/team/metric-words.ts";
import { AmountBar } from "../../parts/charts/bars.tsx";
import { Columns } from "../../parts/charts/columns.tsx";
import { LineChart } from "../../parts/charts/line-chart.tsx";
import { Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { EmptyNote } from "../../parts/states.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { Figure, Figures, RateCell, RateFigure } from "./figures.tsx";
import { MetricPage } from "./metric-page.tsx";
import { useMetric } from "./metric-queries.ts";

const usualDays = 7;

export function PulsePage() {
  const { days = usualDays } = useSearch({ from: "/team/pulse" });
  const query = useMetric("team_overview", { days });
  return (
    <MetricPage
      title="Pulse"
      lead="What the team did in this period, next to the period before. Every number leads to its records."
      query={query}
      days={usualDays}
      empty={{
        is: (data) =>
          data.ships.now + data.ships.before + data.eval_runs.now + data.eval_runs.before + data.active === 0,
        title: "Nothing happened in this period",
        text: "Ships, eval runs, QA reports and retros appear here when somebody records one in a repository of the team.",
        command: "devflow ship log",
      }}
    >
      {(data) => <Content of={data} />}
    </MetricPage>
  );
}

function Content({ of }: { of: TeamOverview }) {
  const navigate = useNavigate();
  const { since, unit, points } = of;
  const open = (kind: string) => (at: number) => {
    const step = points[at]?.at;
    if (step === undefined) return;
    void navigate({ to: "/team/records", search: { kind, since: step, until: endOfStep(step, unit) } });
  };
  const rates = points.map(({ pass }) => ({
    value: pass.rate,
    ...(pass.rate === null ? {} : { low: pass.low, high: pass.high }),
  }));
  const known = points.flatMap(({ pass }) => (pass.rate === null ? [] : [pass.low, pass.high]));
  return (
    <>
      <Figures>
        <Figure
          title="Ships"
          value={String(of.ships.now)}
          before={String(of.ships.before)}
          records={{ kind: "ship_log", since }}
        />
        <Figure
          title="Eval runs"
          value={String(of.eval_runs.now)}
          before={String(of.eval_runs.before)}
          records={{ kind: "eval_run", since }}
        />
        <RateFigure
          title="Evals passed"
          now={of.pass.now}
          before={of.pass.before}
          records={{ kind: "eval_run", since, which: "failed" }}
        />
        <Figure
          title="Cost of evals"
          value={money(of.usd.now)}
          before={money(of.usd.before)}
          records={{ kind: "eval_run", since }}
        />
        <Figure
          title="QA health"
          value={of.qa.now.mean === null ? "–" : of.qa.now.mean.toFixed(0)}
          before={of.qa.before.mean === null ? "–" : of.qa.before.mean.toFixed(0)}
          note={plural(of.qa.reports, "report")}
          records={{ kind: "qa_report", since }}
        />
        <RateFigure
          title="False alarms in reviews"
          now={of.false_alarms.now}
          before={of.false_alarms.before}
          records={{ kind: "review_triage", since, which: "false_alarms" }}
        />
        <Figure
          title="Active people"
          value={String(of.active)}
          note={`${plural(of.members, "member")} now`}
          records={{ since }}
        />
      </Figures>
      {of.last_ship && (
        <p className="text-ink-soft">
          Last ship:{" "}
          <Link
            to="/team/records/$id"
            params={{ id: of.last_ship.id }}
            className="font-medium text-ink hover:underline"
          >
            {markBidi(`${of.last_ship.repo ?? ""} ${of.last_ship.version}`.trim())}
          </Link>{" "}
          by {markBidi(of.last_ship.by ?? "somebody")}, <RelativeTime at={of.last_ship.at} />
        </p>
      )}
      <div className="grid grid-cols-1 gap-8 broad:grid-cols-2">
        <Panel title={unit === "day" ? "Ships by day" : "Ships by week"}>
          <Columns
            label={`Ships: ${points.map(({ at, ships }) => `${at} ${ships}`).join(", ")}`}
            steps={points.map(({ at, ships }) => ({
              name: stepName(at),
              amount: ships,
              title: `${at}: ${plural(ships, "ship")}`,
            }))}
            format={(value) => (Number.isInteger(value) ? String(value) : "")}
            onStep={open("ship_log")}
          />
        </Panel>
        <Panel title="Evals passed, with 95 % interval">
          {known.length === 0 ? (
            <EmptyNote title="No eval runs in this period" command="devflow eval push results.json" />
          ) : (
            <div className="p-4">
              <LineChart
                label={`Pass rate: ${points.map(({ at, pass }) => `${at} ${percent(pass.rate)}`).join(", ")}`}
                lines={[{ name: "passed", points: rates }]}
                steps={points.map(({ at }) => ({ name: stepName(at) }))}
                range={rangeOf(known, { least: 0.1, within: [0, 1], roundTo: 0.05 })}
                format={wholePercent}
                height={180}
                onStep={open("eval_run")}
              />
            </div>
          )}
        </Panel>
      </div>
      <div className="grid grid-cols-1 gap-8 broad:grid-cols-2">
        <Panel title="Repositories">
          {of.repos.length === 0 ? (
            <EmptyNote title="No ships and no evals in this period" command="devflow ship log" />
          ) : (
            <table className="w-full">
              <TableHead
                columns={[
                  ["Name", "text-left"],
                  ["Ships", "text-right whitespace-nowrap"],
                  ["Eval runs", "hidden text-right whitespace-nowrap wide:table-cell"],
                  ["Passed", "text-right whitespace-nowrap"],
                  ["Cost", "hidden text-right whitespace-nowrap wide:table-cell"],
                ]}
              />
              <tbody className="divide-y divide-line">
                {of.repos.map((repo) => (
                  <tr key={repo.id} className="h-12 hover:bg-hover">
                    <td className="w-full max-w-0 truncate px-3">
                      <Link
                        to="/team/pulse"
                        search={(now) => ({ ...now, repo: repo.name })}
                        data-row
                        className="font-medium hover:underline"
                      >
                        {repo.name}
                      </Link>
                    </td>
                    <td className="px-3 text-right whitespace-nowrap tabular-nums">{repo.ships}</td>
                    <td className="hidden px-3 text-right whitespace-nowrap tabular-nums wide:table-cell">
                      {repo.eval_runs}
                    </td>
                    <td className="px-3">
                      <RateCell of={repo.pass} isNarrow />
                    </td>
                    <td className="hidden px-3 text-right whitespace-nowrap tabular-nums wide:table-cell">
                      {money(repo.usd)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Panel>
        <Panel title="Hot spots" aside={<span className="text-meta text-ink-soft">From the newest retros</span>}>
          <HotSpots of={of.hot_spots} />
        </Panel>
      </div>
    </>
  );
}

function HotSpots({ of }: { of: TeamOverview["hot_spots"] }) {
  if (of.length === 0)
    return (
      <EmptyNote title="No retro yet" command="devflow retro">
        A retro shows which files change again and again.
      </EmptyNote>
    );
  const most = Math.max(...of.map(({ commits }) => commits));
  return (
    <ul className="divide-y divide-line">
      {of.map(({ repo, path, commits }) => (
        <li key={`${repo} ${path}`} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 px-4 py-2">
          <span className="truncate font-mono text-meta" title={path}>
            {markBidi(path)}
          </span>
          <span className="text-right tabular-nums">{plural(commits, "commit")}</span>
          <span className="col-span-2">
            <AmountBar amounts={[commits]} most={most} />
          </span>
          {repo !== null && <span className="col-span-2 text-meta text-ink-soft">{repo}</span>}
        </li>
      ))}
    </ul>
  );
}
