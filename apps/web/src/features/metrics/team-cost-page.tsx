/** What evals and agents cost the team, by time, model and suite, and per ship. */
import { markBidi, type TeamCosts } from "@devflow/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useIsTeamServer } from "../../app-context.tsx";
import { plural } from "../../model/evals/eval-words.ts";
import { tokens } from "../../model/runs/run-words.ts";
import { endOfStep, money, stepName } from "../../model/team/metric-words.ts";
import { AmountBar } from "../../parts/charts/bars.tsx";
import { Columns } from "../../parts/charts/columns.tsx";
import { Panel } from "../../parts/page.tsx";
import { EmptyNote } from "../../parts/states.tsx";
import { Figure, Figures } from "./figures.tsx";
import { MetricPage } from "./metric-page.tsx";
import { useMetric } from "./metric-queries.ts";

const usualDays = 30;

export function TeamCostPage() {
  const { days = usualDays } = useSearch({ from: "/team/cost" });
  const query = useMetric("costs", { days });
  return (
    <MetricPage
      title="Team cost"
      lead="Billed and estimated amounts together. Calls without a known price are not included."
      query={query}
      days={usualDays}
      empty={{
        is: (data) => data.evals.now + data.evals.before + (data.agents?.now ?? 0) === 0,
        title: "No cost in this period",
        text: "Eval results that report their model and token counts are priced when they are pushed.",
        command: "devflow eval push results.json",
      }}
    >
      {(data) => <Content of={data} />}
    </MetricPage>
  );
}

function Content({ of }: { of: TeamCosts }) {
  const navigate = useNavigate();
  // A team server runs no agents.
  const agents = useIsTeamServer() ? null : of.agents;
  const { since, unit, points } = of;
  return (
    <>
      <Figures>
        <Figure
          title="Evals"
          value={money(of.evals.now)}
          before={money(of.evals.before)}
          records={{ kind: "eval_run", since }}
        />
        {agents && (
          <Figure
            title="Agents of runs"
            value={money(agents.now)}
            before={money(agents.before)}
            note="on this server"
          />
        )}
        <Figure
          title="Per ship"
          value={money(of.per_ship.now)}
          before={money(of.per_ship.before)}
          note={of.per_ship.now === null ? "nothing was shipped" : undefined}
          records={{ kind: "ship_log", since }}
        />
      </Figures>
      <Panel title={unit === "day" ? "Evals by day" : "Evals by week"}>
        <Columns
          label={`Cost of evals: ${points.map(({ at, usd }) => `${at} ${money(usd)}`).join(", ")}`}
          steps={points.map(({ at, usd, runs }) => ({
            name: stepName(at),
            amount: usd,
            title: `${at}: ${money(usd)}, ${plural(runs, "run")}`,
          }))}
          format={(value) => (value >= 10 ? `$${Math.round(value)}` : `$${value.toFixed(2)}`)}
          onStep={(at) => {
            const step = points[at]?.at;
            if (step !== undefined)
              void navigate({
                to: "/team/records",
                search: { kind: "eval_run", since: step, until: endOfStep(step, unit) },
              });
          }}
        />
      </Panel>
      <div className="grid grid-cols-1 gap-8 broad:grid-cols-2">
        <Panel title="By model">
          <Amounts
            rows={of.models.map((one) => ({
              key: one.model,
              name: (
                <Link
                  to="/team/records"
                  search={{ kind: "eval_run", model: one.model, since }}
                  data-row
                  className="hover:underline"
                >
                  {markBidi(one.model)}
                </Link>
              ),
              note: `${plural(one.calls, "call")}, ${tokens(one.input_tokens)} in, ${tokens(one.output_tokens)} out`,
              usd: one.usd,
            }))}
          />
        </Panel>
        <Panel title="By suite">
          <Amounts
            rows={of.suites.map((one) => ({
              key: one.suite,
              name: (
                <Link
                  to="/team/records"
                  search={{ kind: "eval_run", suite: one.suite, since }}
                  data-row
                  className="hover:underline"
                >
                  {markBidi(one.suite)}
                </Link>
              ),
              note: `${plural(one.runs, "run")}, before ${money(one.before)}`,
              usd: one.usd,
            }))}
          />
        </Panel>
      </div>
    </>
  );
}

function Amounts({ rows }: { rows: readonly { key: string; name: ReactNode; note: string; usd: number }[] }) {
  if (rows.length === 0) return <EmptyNote title="No usage reported" />;
  const most = Math.max(...rows.map(({ usd }) => usd));
  return (
    <ul className="divide-y divide-line">
      {rows.map(({ key, name, note, usd }) => (
        <li key={key} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 px-4 py-2">
          <span className="truncate font-medium">{name}</span>
          <span className="text-right font-medium tabular-nums">{money(usd)}</span>
          <span className="col-span-2">
            <AmountBar amounts={[usd]} most={most} />
          </span>
          <span className="col-span-2 text-meta text-ink-soft">{note}</span>
        </li>
      ))}
    </ul>
  );
}
