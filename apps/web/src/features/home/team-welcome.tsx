/** What greets a member of a team server: the team's last seven days, and the commands that connect a machine. */
import type { TeamOverview } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useTeam } from "../../queries.ts";
import { Figure, Figures, RateFigure } from "../metrics/figures.tsx";
import { useMetric } from "../metrics/metric-queries.ts";

export function TeamWelcome() {
  const team = useTeam();
  const week = useMetric("team_overview", { days: 7 });
  if (!team) return null;
  return (
    <Panel
      title={`${team.name} this week`}
      aside={
        <Link to="/team/pulse" className="text-meta text-accent hover:underline">
          More
        </Link>
      }
    >
      {week.error && <FaultNote fault={week.error} onRetry={() => void week.refetch()} />}
      {!week.error && week.data === undefined && <SkeletonRows count={2} />}
      {week.data && <Week of={week.data} />}
      <Connect team={team.slug} />
    </Panel>
  );
}

function Week({ of }: { of: TeamOverview }) {
  const { since } = of;
  return (
    <>
      <div className="-m-px">
        <Figures>
          <Figure title="Members" value={String(of.members)} note={`${of.active} active`} />
          <Figure title="Ships" value={String(of.ships.now)} records={{ kind: "ship_log", since }} />
          <Figure title="Eval runs" value={String(of.eval_runs.now)} records={{ kind: "eval_run", since }} />
          <RateFigure
            title="Evals passed"
            now={of.pass.now}
            before={of.pass.before}
            records={{ kind: "eval_run", since, which: "failed" }}
          />
        </Figures>
      </div>
      {of.last_ship && (
        <p className="border-t border-line px-4 py-3 text-ink-soft">
          Last ship: {of.last_ship.repo} {of.last_ship.version} by {of.last_ship.by},{" "}
          <RelativeTime at={of.last_ship.at} />
        </p>
      )}
    </>
  );
}

function Connect({ team }: { team: string }) {
  const server = window.location.origin;
  return (
    <dl className="grid gap-3 border-t border-line px-4 py-3">
      <div className="grid justify-items-start gap-1">
        <dt className="text-meta text-ink-soft">Sign in a terminal</dt>
        <dd>
          <CopyCommand command={`devflow sync setup --server ${server}`} />
        </dd>
      </div>
      <div className="grid justify-items-start gap-1">
        <dt className="text-meta text-ink-soft">Then, in a repository that is not connected yet</dt>
        <dd>
          <CopyCommand command={`devflow sync init --server ${server} --team ${team}`} />
        </dd>
      </div>
    </dl>
  );
}
