/** The team's people and repositories. */
import type { MemberRow, RepoRow } from "@devflow/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useIsTeamServer } from "../../app-context.tsx";
import { parseOrder } from "../../model/table-order.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useMembers, useRepos, useStatus, useTeam } from "../../queries.ts";
import { TeamNav } from "../metrics/team-nav.tsx";
import { InviteButton } from "./invite-button.tsx";
import { Invites } from "./invites.tsx";
import { Tokens } from "./tokens.tsx";

const rowLink = "font-medium hover:underline";

const memberColumns: readonly Column<MemberRow>[] = [
  {
    id: "name",
    title: "Name",
    text: (row) => row.name,
    cell: (row) => (
      <Link to="/team/members/$userId" params={{ userId: row.user_id }} data-row className={rowLink}>
        {row.name}
      </Link>
    ),
  },
  { id: "email", title: "Email", text: (row) => row.email ?? "", wideOnly: true },
  { id: "role", title: "Role", text: (row) => row.role },
];

const repoColumns: readonly Column<RepoRow>[] = [
  {
    id: "name",
    title: "Name",
    text: (row) => row.name,
    cell: (row) => (
      <Link to="/team/repositories/$repoId" params={{ repoId: row.id }} data-row className={rowLink}>
        {row.name}
      </Link>
    ),
  },
  { id: "remote", title: "Remote", text: (row) => row.remote ?? "", wideOnly: true },
  { id: "branch", title: "Default branch", text: (row) => row.default_branch },
];

export function TeamPage() {
  const status = useStatus();
  const team = useTeam();
  const isTeam = useIsTeamServer();
  const isAdmin = isTeam && team !== undefined && team.role !== "member";
  const members = useMembers();
  const repos = useRepos();
  const { q = "", sort } = useSearch({ from: "/team" });
  const navigate = useNavigate({ from: "/team" });
  const order = parseOrder(sort, "name");
  const onSort = (next: string) => void navigate({ search: (now) => ({ ...now, sort: next }), replace: true });

  return (
    <Page
      title="Team"
      above={<TeamNav />}
      lead={team ? `People and repositories of ${team.name}.` : "People and repositories."}
    >
      {status.isError && <FaultNote fault={status.error} onRetry={() => void status.refetch()} />}
      {status.data && !team && <EmptyNote title="No team yet">You are not a member of any team.</EmptyNote>}
      {(status.isPending || team) && (
        <>
          <input
            type="search"
            aria-label="Filter members and repositories"
            placeholder="Filter"
            data-filter
            value={q}
            onChange={(event) =>
              void navigate({ search: (now) => ({ ...now, q: event.target.value || undefined }), replace: true })
            }
            onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
            className="mb-6 h-8 w-full max-w-72 rounded-small border border-line-strong bg-canvas px-2 placeholder:text-ink-soft"
          />
          <div className="grid gap-8">
            <Panel
              title="Members"
              aside={isAdmin && team ? <InviteButton team={team} /> : <Count of={members.data?.length} />}
            >
              {members.isError && <FaultNote fault={members.error} onRetry={() => void members.refetch()} />}
              {members.isPending && <SkeletonRows count={2} height="table" />}
              {members.data?.length === 0 && <EmptyNote title="This team has no members" />}
              {members.data && members.data.length > 0 && (
                <DataTable
                  caption="Members"
                  rows={members.data}
                  columns={memberColumns}
                  keyOf={(row) => row.user_id}
                  order={order}
                  query={q}
                  onSort={onSort}
                />
              )}
            </Panel>
            {isAdmin && <Invites />}
            {isTeam && <Tokens />}
            <Panel title="Repositories" aside={<Count of={repos.data?.length} />}>
              {repos.isError && <FaultNote fault={repos.error} onRetry={() => void repos.refetch()} />}
              {repos.isPending && <SkeletonRows count={2} height="table" />}
              {repos.data?.length === 0 && (
                <EmptyNote title="No repositories yet">
                  {isTeam
                    ? "A repository appears with the first record that a machine pushes from it."
                    : "Runs, evals and the brain work on registered repositories. The home page shows the first steps."}
                </EmptyNote>
              )}
              {repos.data && repos.data.length > 0 && (
                <DataTable
                  caption="Repositories"
                  rows={repos.data}
                  columns={repoColumns}
                  keyOf={(row) => row.id}
                  order={order}
                  query={q}
                  onSort={onSort}
                />
              )}
            </Panel>
          </div>
        </>
      )}
    </Page>
  );
}

function Count({ of }: { of: number | undefined }) {
  return <span className="text-meta text-ink-soft tabular-nums">{of}</span>;
}
