/** One run, live: its state, gates and phases, and tabs for everything it produced. */
import type { RunDetail } from "@devflow/protocol";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useRef } from "react";
import { openGates } from "../../model/runs/evidence.ts";
import { isMissing } from "../../model/runs/live-run.ts";
import { type RunTab, runTabs } from "../../model/runs/run-search.ts";
import { BackLink } from "../../parts/back-link.tsx";
import { Page } from "../../parts/page.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { TabRow } from "../../parts/tab-row.tsx";
import { ArtifactsTab } from "./artifacts-tab.tsx";
import { AuditTab } from "./audit-list.tsx";
import { CommandsTab } from "./commands-tab.tsx";
import { EventsTab } from "./events-tab.tsx";
import { FindingList } from "./finding-list.tsx";
import { GatePanel } from "./gate-panel.tsx";
import { LanesPanel } from "./lanes-panel.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { PermissionPanel } from "./permission-panel.tsx";
import { PhaseTimeline } from "./phase-timeline.tsx";
import { ReportTab } from "./report-tab.tsx";
import { RunActions, RunFacts } from "./run-actions.tsx";
import { RunDiffView } from "./run-diff.tsx";
import { StepFailurePanel } from "./step-failure-panel.tsx";
import { TalkPanel } from "./talk-panel.tsx";
import { TranscriptTab } from "./transcript-tab.tsx";
import { type LiveRunView, useLiveRun } from "./use-live-run.ts";

export function RunPage() {
  const { id } = useParams({ from: "/runs/$id" });
  const live = useLiveRun(id);
  const { detail } = live;
  return (
    <Page
      title={detail?.title ?? "Run"}
      broad
      isLoading={!detail}
      above={
        detail?.parent ? (
          <Link
            to="/runs/$id"
            params={{ id: detail.parent.runId }}
            data-parent-run
            className="text-meta text-ink-soft hover:underline"
          >
            Lane {detail.parent.lane} of “{detail.parent.title}”
          </Link>
        ) : (
          <BackLink to="/runs">Runs</BackLink>
        )
      }
      actions={detail && <RunActions run={detail} />}
      lead={detail && <RunFacts run={detail} />}
    >
      {!detail && !live.fault && (
        <div className="rounded-panel border border-line">
          <SkeletonRows count={8} />
        </div>
      )}
      {live.fault && isMissing(live.fault) && (
        <EmptyNote title="No such run" command="devflow run list">
          It was purged, or belongs to a team you are not in.
        </EmptyNote>
      )}
      {live.fault && !isMissing(live.fault) && <FaultNote fault={live.fault} onRetry={live.retryNow} />}
      {detail && (
        <div className="grid gap-6">
          {detail.stepFailure && <StepFailurePanel failure={detail.stepFailure} />}
          {detail.permissions.map((permission) => (
            <PermissionPanel key={`${permission.sessionId} ${permission.id}`} permission={permission} />
          ))}
          <Gates run={detail} />
          <PhaseTimeline run={detail} />
          {detail.tasks.length > 0 && <LanesPanel run={detail} />}
          <TalkPanel run={detail} />
          <Tabs run={detail} live={live} />
        </div>
      )}
    </Page>
  );
}

/** The open gates, and the last one that was decided while this page was open. */
function Gates({ run }: { run: RunDetail }) {
  const open = openGates(run.approvals);
  const seen = useRef(new Set<string>());
  for (const approval of open) seen.current.add(approval.id);
  const decided = run.approvals.filter((approval) => seen.current.has(approval.id) && !open.includes(approval)).at(-1);
  return [...(decided ? [decided] : []), ...open].map((approval) => (
    <GatePanel key={approval.id} run={run} approval={approval} />
  ));
}

function Tabs({ run, live }: { run: RunDetail; live: LiveRunView }) {
  const { tab = "overview" } = useSearch({ from: "/runs/$id" });
  const navigate = useNavigate({ from: "/runs/$id" });
  const counts: Partial<Record<RunTab, number>> = {
    artifacts: run.artifacts.length,
    findings: run.findings.length,
    audit: run.audit.length,
    events: run.eventSeq,
    commands: run.commands.length,
  };
  return (
    <section aria-label="Details" className="min-w-0 overflow-hidden rounded-panel border border-line bg-raised">
      <TabRow
        label="Details"
        tabs={(Object.keys(runTabs) as RunTab[]).map((id) => ({ id, title: runTabs[id], count: counts[id] }))}
        active={tab}
        panel="run-tab"
        onChoose={(id) =>
          void navigate({
            search: (now) => ({ ...now, tab: id === "overview" ? undefined : (id as RunTab) }),
            replace: true,
            resetScroll: false,
          })
        }
      />
      <div id="run-tab" role="tabpanel" aria-label={runTabs[tab]} className="min-h-80 min-w-0">
        {tab === "overview" && <OverviewTab run={run} />}
        {tab === "transcript" && <TranscriptTab run={run} version={live.transcriptVersion} />}
        {tab === "artifacts" && <ArtifactsTab run={run} />}
        {tab === "diff" && <RunDiffView run={run} />}
        {tab === "findings" && <FindingList run={run} />}
        {tab === "audit" && <AuditTab findings={run.audit} />}
        {tab === "events" && <EventsTab run={run} live={live} />}
        {tab === "commands" && <CommandsTab run={run} />}
        {tab === "report" && <ReportTab run={run} />}
      </div>
    </section>
  );
}
