/** The health of the team's sites, from QA reports. */
import { markBidi, type QaHealth } from "@devflow/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { plural } from "../../model/evals/eval-words.ts";
import { endOfStep, stepName } from "../../model/team/metric-words.ts";
import { LineChart } from "../../parts/charts/line-chart.tsx";
import { Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { Figure, Figures } from "./figures.tsx";
import { MetricPage } from "./metric-page.tsx";
import { useMetric } from "./metric-queries.ts";

const usualDays = 90;
const whole = (value: number | null): string => (value === null ? "–" : value.toFixed(0));

export function QaPage() {
  const { days = usualDays } = useSearch({ from: "/team/qa" });
  const query = useMetric("qa_health", { days });
  return (
    <MetricPage
      title="QA health"
      lead="Mean health score of the reports, 0 to 100. What a report did not test is not scored."
      query={query}
      days={usualDays}
      empty={{
        is: (data) => data.score.reports === 0 && data.score.before.of === 0,
        title: "No QA reports in this period",
        text: "A report is made from recorded evidence and findings, and goes to the team by itself.",
        command: "devflow qa report",
      }}
    >
      {(data) => <Content of={data} />}
    </MetricPage>
  );
}

function Content({ of }: { of: QaHealth }) {
  const navigate = useNavigate();
  const { since, unit, points, score } = of;
  const issues = points.reduce((sum, one) => sum + one.issues, 0);
  return (
    <>
      <Figures>
        <Figure
          title="Health"
          value={whole(score.now.mean)}
          before={whole(score.before.mean)}
          note={score.now.of > 1 ? `${whole(score.now.low)}–${whole(score.now.high)} (95 %)` : undefined}
          records={{ kind: "qa_report", since }}
        />
        <Figure
          title="Reports"
          value={String(score.reports)}
          before={String(score.before.of)}
          records={{ kind: "qa_report", since }}
        />
        <Figure title="Issues found" value={String(issues)} records={{ kind: "qa_report", since }} />
      </Figures>
      <Panel title="Health, with 95 % interval">
        <div className="p-4">
          <LineChart
            label={`Health: ${points.map(({ at, score: one }) => `${at} ${whole(one.mean)}`).join(", ")}`}
            lines={[
              {
                name: "health",
                points: points.map(({ score: { mean, low, high, of: amount } }) => ({
                  value: mean,
                  ...(amount > 1 ? { low, high } : {}),
                })),
              },
            ]}
            steps={points.map(({ at }) => ({ name: stepName(at) }))}
            range={[0, 100]}
            format={whole}
            onStep={(at) => {
              const step = points[at]?.at;
              if (step !== undefined)
                void navigate({
                  to: "/team/records",
                  search: { kind: "qa_report", since: step, until: endOfStep(step, unit) },
                });
            }}
          />
        </div>
      </Panel>
      <Panel title="Sites" aside={<span className="text-meta text-ink-soft">Newest report, worst first</span>}>
        <table className="w-full">
          <TableHead
            columns={[
              ["Site", "text-left"],
              ["Health", "text-right whitespace-nowrap"],
              ["Before", "hidden text-right whitespace-nowrap wide:table-cell"],
              ["Issues", "text-right whitespace-nowrap"],
              ["Reports", "hidden text-right whitespace-nowrap wide:table-cell"],
              ["Newest", "hidden text-right whitespace-nowrap wide:table-cell"],
            ]}
          />
          <tbody className="divide-y divide-line">
            {of.sites.map((site) => (
              <tr key={site.url} className="h-12 hover:bg-hover">
                <td className="w-full max-w-0 truncate px-3">
                  <Link
                    to="/team/records/$id"
                    params={{ id: site.id }}
                    data-row
                    className="font-medium hover:underline"
                    title={site.url}
                  >
                    {markBidi(site.url)}
                  </Link>
                </td>
                <td className="px-3 text-right font-medium tabular-nums">{whole(site.score)}</td>
                <td className="hidden px-3 text-right text-ink-soft tabular-nums wide:table-cell">
                  {whole(site.before)}
                </td>
                <td className="px-3 text-right whitespace-nowrap tabular-nums">{site.issues}</td>
                <td className="hidden px-3 text-right whitespace-nowrap tabular-nums wide:table-cell">
                  <Link
                    to="/team/records"
                    search={{ kind: "qa_report", url: site.url, since }}
                    className="hover:underline"
                    aria-label={plural(site.reports, "report")}
                  >
                    {site.reports}
                  </Link>
                </td>
                <td className="hidden px-3 text-right text-ink-soft wide:table-cell">
                  <RelativeTime at={site.at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
    </>
  );
}
