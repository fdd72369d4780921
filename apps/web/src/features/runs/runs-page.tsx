/** The dashboard: the team's runs, live, those that wait for a person first. */
import type { RunSummary } from "@devflow/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { questionsOf } from "../../model/runs/gate-notices.ts";
import { countByState, type RunGroup, type RunsSearch, shownRuns } from "../../model/runs/run-filter.ts";
import { runStateName } from "../../model/runs/run-words.ts";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Page } from "../../parts/page.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { OpenQuestions } from "./open-questions.tsx";
import { useApprovals, useOpenPermissions, useTeamRuns } from "./run-queries.ts";
import { RunsNav } from "./runs-nav.tsx";
import { RunsTable } from "./runs-table.tsx";

const startCommand = 'devflow run start "…"';
const groupNames = { open: "Open", ended: "Ended" } as const;
const groupName = (group: RunGroup) =>
  group === "open" || group === "ended" ? groupNames[group] : runStateName(group);

export function RunsPage() {
  const runs = useTeamRuns();
  const search = useSearch({ from: "/runs" });
  const approvals = useApprovals();
  const permissions = useOpenPermissions();
  // Wait for both, so that the second does not push the first aside.
  const isRead = runs.list !== undefined && !approvals.isPending;
  return (
    <Page
      title="Runs"
      broad
      above={<RunsNav />}
      lead="Work done by agents and approved by people."
      actions={
        <Link
          to="/runs/new"
          className="inline-flex h-8 items-center rounded-small bg-accent px-3 font-medium text-on-accent hover:opacity-90"
        >
          New run
        </Link>
      }
    >
      {runs.isError && <FaultNote fault={runs.error} onRetry={() => void runs.refetch()} />}
      {!runs.isError && !isRead && (
        <div className="rounded-panel border border-line">
          <SkeletonRows count={8} />
        </div>
      )}
      {runs.list && isRead && (
        <div className="grid gap-4">
          <OpenQuestions questions={questionsOf(approvals.data ?? [], permissions.data ?? [])} />
          <Filters groups={countByState(runs.list)} search={search} />
          <RunList runs={runs.list} search={search} />
          {runs.data && !runs.data.isWhole && (
            <p className="text-meta text-ink-soft">
              Showing the newest {runs.data.runs.length} runs. To list all, run:{" "}
              <CopyCommand command="devflow run list --all" quiet />
            </p>
          )}
        </div>
      )}
    </Page>
  );
}

function RunList({
  runs,
  search,
}: {
  runs: readonly RunSummary[];
  search: RunsSearch & { repo?: string | undefined };
}) {
  const shown = shownRuns(runs, search);
  return (
    <div className="overflow-hidden rounded-panel border border-line bg-raised">
      {runs.length === 0 && (
        <EmptyNote title="No runs yet" command={startCommand}>
          A run takes a piece of work through specification, planning, implementation and review, and asks you to decide
          at the gates.
        </EmptyNote>
      )}
      {shown.length > 0 && <RunsTable runs={shown} />}
      {shown.length === 0 && runs.length > 0 && (
        <EmptyNote title="No matching runs">
          None of the {runs.length} runs match the filters.{" "}
          <Link
            to="/runs"
            search={(now) => ({ team: now.team, repo: undefined })}
            className="text-accent underline underline-offset-2"
          >
            Show all
          </Link>
        </EmptyNote>
      )}
    </div>
  );
}

function Filters({ groups, search }: { groups: ReturnType<typeof countByState>; search: RunsSearch }) {
  const navigate = useNavigate({ from: "/runs" });
  const choice = "flex h-7 items-center gap-1 rounded-small border px-2 text-meta whitespace-nowrap";
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        type="search"
        aria-label="Filter runs"
        placeholder="Filter"
        data-filter
        value={search.q ?? ""}
        onChange={(event) =>
          void navigate({ search: (now) => ({ ...now, q: event.target.value || undefined }), replace: true })
        }
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        className="h-8 w-full rounded-small border border-line-strong bg-canvas px-2 placeholder:text-ink-soft wide:w-64"
      />
      <nav aria-label="States" className="flex flex-wrap gap-1">
        {[{ group: undefined, count: undefined }, ...groups].map(({ group, count }) => (
          <Link
            key={group ?? ""}
            to="/runs"
            search={(now) => ({ ...now, state: group })}
            aria-current={group === search.state ? "true" : undefined}
            className={`${choice} ${group === search.state ? "border-accent bg-accent-soft text-accent" : "border-line text-ink-soft hover:bg-hover"}`}
          >
            {group === undefined ? "All" : groupName(group)}
            {count !== undefined && <span className="tabular-nums">{count}</span>}
          </Link>
        ))}
      </nav>
    </div>
  );
}
