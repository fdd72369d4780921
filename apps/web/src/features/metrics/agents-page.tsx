/** How the team uses its agents, from the transcripts that people share: numbers only. */
import { type AgentUsage, type Median, markBidi } from "@devflow/protocol";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { plural } from "../../model/evals/eval-words.ts";
import { endOfStep, stepName } from "../../model/team/metric-words.ts";
import { Columns } from "../../parts/charts/columns.tsx";
import { Sparkline } from "../../parts/charts/sparkline.tsx";
import { Panel } from "../../parts/page.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { Figure, Figures, RateCell, RateFigure } from "./figures.tsx";
import { MetricPage } from "./metric-page.tsx";
import { useMetric } from "./metric-queries.ts";

const usualDays = 90;

export function AgentsPage() {
  const { days = usualDays } = useSearch({ from: "/team/agents" });
  const query = useMetric("agent_usage", { days });
  return (
    <MetricPage
      title="Agents"
      lead="How people work with their agents, from the transcripts that they share. Numbers only: the texts stay with their author and the admins."
      query={query}
      days={usualDays}
      empty={{
        is: ({ totals, before }) => totals.sessions + before.sessions === 0,
        title: "No transcripts were shared in this period",
        text: "Everybody decides for themselves whether to share theirs; secrets are removed first.",
        command: "devflow config set sync_transcripts true",
      }}
    >
      {(data) => <Content of={data} />}
    </MetricPage>
  );
}

function Content({ of }: { of: AgentUsage }) {
  const navigate = useNavigate();
  const { since, unit, totals, before, points } = of;
  return (
    <>
      <Figures>
        <Figure
          title="Sessions"
          value={String(totals.sessions)}
          before={String(before.sessions)}
          records={{ kind: "transcript", since }}
        />
        <Figure
          title="Prompts in a session"
          value={half(totals.turns)}
          before={half(before.turns)}
          note="median"
          records={{ kind: "transcript", since }}
        />
        <Figure
          title="Length of a prompt"
          value={`${whole(totals.prompt_chars)} characters`}
          before={half(before.prompt_chars)}
          note="median of the sessions"
          records={{ kind: "transcript", since }}
        />
        <RateFigure title="Changed files" now={totals.changed} before={before.changed} />
        <RateFigure title="Interrupted, nothing changed" now={totals.interrupted} before={before.interrupted} />
      </Figures>
      <Panel title={unit === "day" ? "Sessions by day" : "Sessions by week"}>
        <Columns
          label={`Sessions: ${points.map(({ at, sessions }) => `${at} ${sessions}`).join(", ")}`}
          steps={points.map(({ at, sessions }) => ({
            name: stepName(at),
            amount: sessions,
            title: `${at}: ${plural(sessions, "session")}`,
          }))}
          format={(value) => (Number.isInteger(value) ? String(value) : "")}
          onStep={(at) => {
            const step = points[at]?.at;
            if (step !== undefined)
              void navigate({
                to: "/team/records",
                search: { kind: "transcript", since: step, until: endOfStep(step, unit) },
              });
          }}
        />
      </Panel>
      <Panel title="People">
        <People of={of} />
      </Panel>
      <Panel title="Tools">
        <Tools of={of.tools} />
      </Panel>
    </>
  );
}

/** Of the busiest week of anybody, so that the lines can be compared; what was counted has no interval. */
const sharePoint = (share: number) => ({ rate: share, low: share, high: share });

function People({ of: { people, others } }: { of: AgentUsage }) {
  const most = Math.max(1, ...people.flatMap(({ weeks }) => weeks.map(({ sessions }) => sessions)));
  return (
    <>
      <table className="w-full">
        <TableHead
          columns={[
            ["Name", "text-left"],
            ["Sessions", "text-right whitespace-nowrap"],
            ["By week", "hidden text-right whitespace-nowrap wide:table-cell"],
            ["Prompts", "hidden text-right whitespace-nowrap wide:table-cell"],
            ["Characters", "text-right whitespace-nowrap"],
            ["Changed files", "text-right whitespace-nowrap"],
          ]}
        />
        <tbody className="divide-y divide-line">
          {people.map((one) => (
            <tr key={one.user_id} className="h-12">
              <td className="w-full max-w-0 truncate px-3 font-medium">{markBidi(one.name)}</td>
              <td className="px-3 text-right tabular-nums">{one.sessions}</td>
              <td className="hidden px-3 wide:table-cell">
                <div className="w-32">
                  <Sparkline
                    points={one.weeks.map(({ sessions }) => sharePoint(sessions / most))}
                    label={`Sessions by week: ${one.weeks.map(({ at, sessions }) => `${at} ${sessions}`).join(", ")}`}
                  />
                </div>
              </td>
              <td className="hidden px-3 text-right tabular-nums wide:table-cell">{half(one.turns)}</td>
              <td className="px-3 text-right tabular-nums">{whole(one.prompt_chars)}</td>
              <td className="px-3">
                <RateCell of={one.changed} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {others > 0 && (
        <p className="border-t border-line px-3 py-2 text-meta text-ink-soft">
          {`${others}${people.length > 0 ? " more" : ""} ${others === 1 ? "person is" : "people are"} counted and not named; people are named once they have joined the leaderboard.`}
        </p>
      )}
    </>
  );
}

function Tools({ of }: { of: AgentUsage["tools"] }) {
  return (
    <table className="w-full">
      <TableHead
        columns={[
          ["Tool", "text-left"],
          ["Calls", "text-right"],
          ["Sessions", "text-right"],
        ]}
      />
      <tbody className="divide-y divide-line">
        {of.slice(0, 12).map(({ name, calls, sessions }) => (
          <tr key={name} className="h-9">
            <td className="w-full max-w-0 truncate px-3 font-medium">{markBidi(name)}</td>
            <td className="px-3 text-right tabular-nums">{calls.toLocaleString("en-US")}</td>
            <td className="px-3 text-right tabular-nums">{sessions}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const whole = ({ median }: Median): string => (median === null ? "–" : Math.round(median).toLocaleString("en-US"));
const half = ({ median }: Median): string => (median === null ? "–" : String(Math.round(median * 10) / 10));
