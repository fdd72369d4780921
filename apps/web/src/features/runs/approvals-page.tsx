/** All permission requests and open gates, and the selected one with its evidence and buttons. Keys: a, c and r decide; j and k move through the list. */
import type { ApprovalView } from "@devflow/protocol";
import { Link, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { gateQuestion } from "../../model/runs/run-words.ts";
import { Page } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { GatePanel } from "./gate-panel.tsx";
import { NotifyChoice } from "./notify-choice.tsx";
import { PermissionPanel } from "./permission-panel.tsx";
import { useApprovals, useOpenPermissions } from "./run-queries.ts";
import { RunsNav } from "./runs-nav.tsx";
import { useLiveRun } from "./use-live-run.ts";

export function ApprovalsPage() {
  const approvals = useApprovals();
  const permissions = useOpenPermissions().data ?? [];
  const { gate } = useSearch({ from: "/approvals" });
  const list = approvals.data ?? [];
  const [shown, setShown] = useState<ApprovalView>();
  const wanted = list.find((approval) => approval.id === gate);
  // A gate stays on the page after it is decided: jumping to the next one would invite a second, unread click.
  const current = wanted ?? (shown && (gate === undefined || gate === shown.id) ? shown : list[0]);
  useEffect(() => {
    if (current && current !== shown) setShown(current);
  }, [current, shown]);

  return (
    <Page
      title="Approvals"
      broad
      above={<RunsNav />}
      lead="Agents and gates that wait for a decision."
      actions={<NotifyChoice />}
    >
      {approvals.isError && <FaultNote fault={approvals.error} onRetry={() => void approvals.refetch()} />}
      {approvals.isPending && <SkeletonRows count={3} />}
      {approvals.data && !current && permissions.length === 0 && (
        <div className="rounded-panel border border-line">
          <EmptyNote title="Nothing waits for you" command={'devflow run start "…"'}>
            Gates and agents' requests for permission appear here as soon as they are asked.
          </EmptyNote>
        </div>
      )}
      {permissions.length > 0 && (
        <ul aria-label="Permission requests" className="mb-6 grid gap-4">
          {permissions.map((permission) => (
            <li key={`${permission.sessionId} ${permission.id}`} className="grid gap-2">
              <RunLink id={permission.runId} title={permission.runTitle} />
              <PermissionPanel permission={permission} />
            </li>
          ))}
        </ul>
      )}
      {current && (
        <div className="grid gap-6">
          {list.length > 0 && (
            <nav aria-label="Open gates" className="overflow-hidden rounded-panel border border-line bg-raised">
              <ul className="max-h-60 divide-y divide-line overflow-y-auto">
                {list.map((approval) => (
                  <li key={approval.id}>
                    <GateRow approval={approval} isChosen={approval.id === current.id} />
                  </li>
                ))}
              </ul>
            </nav>
          )}
          {!list.some((approval) => approval.id === current.id) && list[0] && (
            <p className="flex flex-wrap items-center gap-4">
              This gate has been decided.
              <Link
                to="/approvals"
                search={(now) => ({ ...now, gate: list[0]!.id })}
                replace
                resetScroll={false}
                className="text-accent underline underline-offset-2"
              >
                Next gate
              </Link>
            </p>
          )}
          <Gate key={current.id} approval={current} />
        </div>
      )}
    </Page>
  );
}

function GateRow({ approval, isChosen }: { approval: ApprovalView; isChosen: boolean }) {
  return (
    <Link
      to="/approvals"
      search={(now) => ({ ...now, gate: approval.id })}
      replace
      resetScroll={false}
      data-row
      aria-current={isChosen ? "true" : undefined}
      className={`flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 outline-offset-[-2px] hover:bg-hover ${isChosen ? "bg-hover" : ""}`}
    >
      <span className="min-w-0 flex-1 basis-48 break-words">
        <span className="font-medium">{approval.runTitle}</span>{" "}
        <span className="text-ink-soft">{gateQuestion(approval)}</span>
      </span>
      <span className="font-mono text-meta text-ink-soft">{approval.phase}</span>
      <span className="text-meta text-ink-soft">
        <RelativeTime at={approval.createdAt} />
      </span>
    </Link>
  );
}

function Gate({ approval }: { approval: ApprovalView }) {
  const live = useLiveRun(approval.runId);
  const { detail } = live;
  if (!detail) {
    return live.fault ? <FaultNote fault={live.fault} onRetry={live.retryNow} /> : <SkeletonRows count={6} />;
  }
  const now = detail.approvals.find((each) => each.id === approval.id) ?? approval;
  return (
    <div className="grid gap-2">
      <RunLink id={detail.id} title={detail.title} />
      <GatePanel run={detail} approval={now} />
    </div>
  );
}

function RunLink({ id, title }: { id: string; title: string }) {
  return (
    <p className="text-meta text-ink-soft">
      <Link to="/runs/$id" params={{ id }} className="text-accent underline underline-offset-2">
        {title}
      </Link>
    </p>
  );
}
