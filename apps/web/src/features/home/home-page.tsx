/** The home page: the team's runs, health, first steps and recent activity. */
import { useIsTeamServer } from "../../app-context.tsx";
import { useLive } from "../../live-context.tsx";
import { healthRows } from "../../model/health.ts";
import { Page } from "../../parts/page.tsx";
import { SkeletonRows } from "../../parts/states.tsx";
import { useStatus } from "../../queries.ts";
import { RecentActivity } from "../activity/recent-activity.tsx";
import { Dashboard, useDashboard } from "./dashboard.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { Health } from "./health.tsx";
import { TeamWelcome } from "./team-welcome.tsx";
import { Teams } from "./teams.tsx";
import { Versions } from "./versions.tsx";

export function HomePage() {
  return useIsTeamServer() ? <TeamHome /> : <LocalHome />;
}

/** Runs are on the machines of the members; here are the people and what they have recorded. */
function TeamHome() {
  const status = useStatus();
  return (
    <Page title="Home" lead={<Summary />}>
      <div className="grid gap-8 broad:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 content-start gap-8">
          <TeamWelcome />
          <RecentActivity count={12} />
        </div>
        <div className="grid min-w-0 content-start gap-8">
          <Health status={status} />
          <Teams status={status} />
        </div>
      </div>
    </Page>
  );
}

function LocalHome() {
  const status = useStatus();
  const dashboard = useDashboard();
  return (
    <Page title="Home" lead={<Summary />} isLoading={!dashboard.isRead}>
      {dashboard.isRead ? (
        <Parts status={status} dashboard={dashboard} />
      ) : (
        <div className="rounded-panel border border-line">
          <SkeletonRows count={10} />
        </div>
      )}
    </Page>
  );
}

interface PartsProps {
  readonly status: ReturnType<typeof useStatus>;
  readonly dashboard: ReturnType<typeof useDashboard>;
}

function Parts({ status, dashboard }: PartsProps) {
  return (
    <div className="grid gap-8 broad:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="grid min-w-0 content-start gap-8">
        <Dashboard {...dashboard} />
        <FirstSteps status={status} />
        <RecentActivity count={8} />
      </div>
      <div className="grid min-w-0 content-start gap-8">
        <Health status={status} />
        <Versions status={status} />
        <Teams status={status} />
      </div>
    </div>
  );
}

/** One sentence about the health rows below. */
function Summary() {
  const { data, isError } = useStatus();
  const { live } = useLive();
  if (isError && !data) return "Could not read the server's status.";
  if (!data) return "Reading the server's status…";
  const troubles = healthRows(data, __WEB_VERSION__, live.is === "lost").filter((row) => row.verdict !== "ok");
  if (troubles.length === 0) return "Everything is running.";
  return `Needs attention: ${troubles.map((row) => row.name.toLowerCase()).join(", ")}.`;
}
