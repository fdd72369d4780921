/** Ships, the time from commit to ship, and how many of them had to be repaired. */
import type { Median, Velocity } from "@devflow/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { percent, plural } from "../../model/evals/eval-words.ts";
import { rangeOf } from "../../model/evals/scale.ts";
import { endOfStep, hours, stepName } from "../../model/team/metric-words.ts";
import { Columns } from "../../parts/charts/columns.tsx";
import { LineChart } from "../../parts/charts/line-chart.tsx";
import { Panel } from "../../parts/page.tsx";
import { EmptyNote } from "../../parts/states.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { Figure, Figures, RateCell, RateFigure } from "./figures.tsx";
import { MetricPage } from "./metric-page.tsx";
import { useMetric } from "./metric-queries.ts";

const usualDays = 90;

export function VelocityPage() {
  const { days = usualDays } = useSearch({ from: "/team/velocity" });
  const query = useMetric("velocity", { days });
  return (
    <MetricPage
      title="Velocity"
      lead="Lead time is the median time from a commit to its ship. A change failed if a later ship had to repair it."
      query={query}
      days={usualDays}
      empty={{
        is: (data) => data.ships.now + data.ships.before === 0,
        title: "Nothing was shipped in this period",
        text: "A ship is recorded in the repository that it comes from, at the end of a release.",
        command: "devflow ship log",
      }}
    >
      {(data) => <Content of={data} />}
    </MetricPage>
  );
}

const intervalOf = ({ low, high }: Median): string | undefined =>
  low === null || high === null ? undefined : `${hours(low)} to ${hours(high)} (95 %)`;

function Content({ of }: { of: Velocity }) {
  const navigate = useNavigate();
  const { since, unit, points } = of;
  const open = (at: number) => {
    const step = points[at]?.at;
    if (step !== undefined)
      void navigate({ to: "/team/records", search: { kind: "ship_log", since: step, until: endOfStep(step, unit) } });
  };
  const leads = points.map(({ lead_hours: { median, low, high } }) => ({
    value: median,
    ...(low === null || high === null ? {} : { low, high }),
  }));
  const known = leads.flatMap(({ value, low, high }) => (value === null ? [] : [value, low ?? value, high ?? value]));
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
          title="Lead time"
          value={hours(of.lead_hours.now.median)}
          before={hours(of.lead_hours.before.median)}
          note={intervalOf(of.lead_hours.now) ?? "no ship says how long it took"}
          records={{ kind: "ship_log", since }}
        />
        <RateFigure
          title="Change failure rate"
          now={of.change_fail.now}
          before={of.change_fail.before}
          records={{ kind: "ship_log", since, which: "failed" }}
        />
        <RateFigure
          title="Rework rate"
          now={of.rework.now}
          before={of.rework.before}
          records={{ kind: "ship_log", since, which: "fixes" }}
        />
        <Figure
          title="Time to repair"
          value={hours(of.restore_hours.now.median)}
          before={hours(of.restore_hours.before.median)}
          note={`median of ${plural(of.restore_hours.now.of, "repair")}`}
          records={{ kind: "ship_log", since, which: "failed" }}
        />
      </Figures>
      <Panel
        title={unit === "day" ? "Ships by day" : "Ships by week"}
        aside={<span className="text-meta text-ink-soft">Red: repairs of an earlier ship</span>}
      >
        <Columns
          label={`Ships: ${points.map(({ at, ships }) => `${at} ${ships}`).join(", ")}`}
          steps={points.map(({ at, ships, fixes }) => ({
            name: stepName(at),
            amount: ships,
            part: fixes,
            title: `${at}: ${plural(ships, "ship")}, ${plural(fixes, "repair")}`,
          }))}
          format={(value) => (Number.isInteger(value) ? String(value) : "")}
          onStep={open}
        />
      </Panel>
      <Panel title="Lead time in hours, with 95 % interval">
        {known.length === 0 ? (
          <EmptyNote title="No ship says how long it took" command="devflow ship log">
            Lead time is counted from the commits since the ship before.
          </EmptyNote>
        ) : (
          <div className="p-4">
            <LineChart
              label={`Lead time: ${points.map(({ at, lead_hours }) => `${at} ${hours(lead_hours.median)}`).join(", ")}`}
              lines={[{ name: "lead time", points: leads }]}
              steps={points.map(({ at }) => ({ name: stepName(at) }))}
              range={[0, rangeOf(known, { least: 1 })[1]]}
              format={hours}
              height={200}
              onStep={open}
            />
          </div>
        )}
      </Panel>
      <Panel title="Repositories">
        <table className="w-full">
          <TableHead
            columns={[
              ["Name", "text-left"],
              ["Ships", "text-right whitespace-nowrap"],
              ["Lead time", "text-right whitespace-nowrap"],
              ["Failed", "hidden text-right whitespace-nowrap wide:table-cell"],
              ["Rework", "hidden text-right whitespace-nowrap wide:table-cell"],
            ]}
          />
          <tbody className="divide-y divide-line">
            {of.repos.map((repo) => (
              <tr key={repo.id ?? ""} className="h-12 hover:bg-hover">
                <td className="w-full max-w-0 truncate px-3">
                  {repo.name === null ? (
                    "no repository"
                  ) : (
                    <Link
                      to="/team/velocity"
                      search={(now) => ({ ...now, repo: repo.name ?? undefined })}
                      data-row
                      className="font-medium hover:underline"
                    >
                      {repo.name}
                    </Link>
                  )}
                </td>
                <td className="px-3 text-right whitespace-nowrap tabular-nums">{repo.ships}</td>
                <td className="px-3 text-right whitespace-nowrap tabular-nums">{hours(repo.lead_hours.median)}</td>
                <td className="hidden px-3 wide:table-cell">
                  <RateCell of={repo.change_fail} />
                </td>
                <td className="hidden px-3 wide:table-cell">
                  <span className="block text-right whitespace-nowrap tabular-nums">{percent(repo.rework.rate)}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
    </>
  );
}
