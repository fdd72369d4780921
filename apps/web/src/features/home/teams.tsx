import type { ServerStatus } from "@devflow/protocol";
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Panel } from "../../parts/page.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";

export function Teams({ status }: { status: UseQueryResult<ServerStatus> }) {
  return (
    <Panel title="Teams">
      {status.isError && !status.data && <FaultNote fault={status.error} onRetry={() => void status.refetch()} />}
      {status.isPending && <SkeletonRows count={1} />}
      {status.data?.teams.length === 0 && <EmptyNote title="No team yet">You are not a member of any team.</EmptyNote>}
      <ul className="divide-y divide-line">
        {status.data?.teams.map((team) => (
          <li key={team.id}>
            <Link
              to="/team"
              search={(now) => ({ ...now, team: team.slug, repo: undefined })}
              className="flex min-h-12 items-center justify-between gap-4 px-4 py-2 outline-offset-[-2px] hover:bg-hover"
            >
              <span className="min-w-0 font-medium break-words">{team.name}</span>
              <span className="text-ink-soft">{team.role}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
