/** How much of what reviewers find is worth fixing. */
import { type Judged, markBidi, type ReviewSignal } from "@devflow/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { percent } from "../../model/evals/eval-words.ts";
import type { RecordsSearch } from "../../model/team/metric-search.ts";
import { endOfStep, stepName, wholePercent } from "../../model/team/metric-words.ts";
import { LineChart } from "../../parts/charts/line-chart.tsx";
import { Panel } from "../../parts/page.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { Figure, Figures, RateCell, RateFigure } from "./figures.tsx";
import { MetricPage } from "./metric-page.tsx";
import { useMetric } from "./metric-queries.ts";

const usualDays = 90;

export function ReviewsPage() {
  const { days = usualDays } = useSearch({ from: "/team/reviews" });
  const query = useMetric("review_signal", { days });
  return (
    <MetricPage
      title="Review signal"
      lead="How people judged what reviewers reported: fixed, already fixed, or a false alarm."
      query={query}
      days={usualDays}
      empty={{
        is: (data) => data.false_alarms.now.of + data.false_alarms.before.of === 0,
        title: "No review findings were judged in this period",
        text: "The review skill records how each finding was judged; any reviewer can be recorded.",
        command: "devflow sync push-triage triage.json",
      }}
    >
      {(data) => <Content of={data} />}
    </MetricPage>
  );
}

function Content({ of }: { of: ReviewSignal }) {
  const navigate = useNavigate();
  const { since, unit, points, false_alarms } = of;
  const findings = of.categories.reduce((sum, one) => sum + one.findings, 0);
  const fixed = of.categories.reduce((sum, one) => sum + one.fixed, 0);
  return (
    <>
      <Figures>
        <Figure
          title="Findings judged"
          value={String(false_alarms.now.of)}
          before={String(false_alarms.before.of)}
          records={{ kind: "review_triage", since }}
        />
        <RateFigure
          title="False alarms"
          now={false_alarms.now}
          before={false_alarms.before}
          records={{ kind: "review_triage", since, which: "false_alarms" }}
        />
        <Figure
          title="Led to a fix"
          value={percent(findings === 0 ? null : fixed / findings)}
          note={`${fixed} of ${findings}`}
          records={{ kind: "review_triage", since }}
        />
      </Figures>
      <Panel title="False alarms, with 95 % interval">
        <div className="p-4">
          <LineChart
            label={`False alarms: ${points.map(({ at, false_alarms: one }) => `${at} ${percent(one.rate)}`).join(", ")}`}
            lines={[
              {
                name: "false alarms",
                points: points.map(({ false_alarms: { rate, low, high } }) => ({
                  value: rate,
                  ...(rate === null ? {} : { low, high }),
                })),
              },
            ]}
            steps={points.map(({ at }) => ({ name: stepName(at) }))}
            range={[0, 1]}
            format={wholePercent}
            onStep={(at) => {
              const step = points[at]?.at;
              if (step !== undefined)
                void navigate({
                  to: "/team/records",
                  search: { kind: "review_triage", since: step, until: endOfStep(step, unit) },
                });
            }}
          />
        </div>
      </Panel>
      <div className="grid grid-cols-1 gap-8 broad:grid-cols-2">
        <Panel title="By category">
          <Sides
            of={of.categories}
            title="Category"
            records={(category) => ({ kind: "review_triage", category, since })}
          />
        </Panel>
        <Panel title="By reviewer">
          <Sides
            of={of.reviewers}
            title="Reviewer"
            records={(reviewer) => ({ kind: "review_triage", reviewer, since })}
          />
        </Panel>
      </div>
    </>
  );
}

function Sides(props: { of: readonly Judged[]; title: string; records: (name: string) => RecordsSearch }) {
  return (
    <table className="w-full">
      <TableHead
        columns={[
          [props.title, "text-left"],
          ["Findings", "text-right whitespace-nowrap"],
          ["Fixed", "hidden text-right whitespace-nowrap wide:table-cell"],
          ["False alarms", "text-right whitespace-nowrap"],
        ]}
      />
      <tbody className="divide-y divide-line">
        {props.of.map((one) => (
          <tr key={one.name} className="h-12 hover:bg-hover">
            <td className="w-full max-w-0 truncate px-3">
              <Link
                to="/team/records"
                search={props.records(one.name)}
                data-row
                className="font-medium hover:underline"
              >
                {markBidi(one.name)}
              </Link>
            </td>
            <td className="px-3 text-right whitespace-nowrap tabular-nums">{one.findings}</td>
            <td className="hidden px-3 text-right whitespace-nowrap tabular-nums wide:table-cell">{one.fixed}</td>
            <td className="px-3">
              <RateCell of={one.false_alarms} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
