/** Agent sessions, each with its run and a link to its transcript. */
import type { SessionList } from "@devflow/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { z } from "zod";
import { sessionWord, size } from "../../model/runs/run-words.ts";
import { parseOrder } from "../../model/table-order.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Page } from "../../parts/page.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { FilterField } from "./filter-field.tsx";
import { useSessions } from "./run-queries.ts";
import { RunsNav } from "./runs-nav.tsx";

type Session = z.infer<typeof SessionList>["sessions"][number];

const columns: readonly Column<Session>[] = [
  {
    id: "role",
    title: "Role",
    text: (row) => row.role,
    cell: (row) => (
      <Link
        to="/runs/$id"
        params={{ id: row.runId }}
        search={{ tab: "transcript", session: row.id }}
        data-row
        className="font-medium hover:underline"
      >
        {row.role}
      </Link>
    ),
  },
  { id: "run", title: "Run", text: (row) => row.runTitle, width: "w-1/3" },
  {
    id: "state",
    title: "State",
    text: (row) => sessionWord(row.state).word,
    cell: (row) => <StateWord {...sessionWord(row.state)} />,
  },
  { id: "persona", title: "Persona", text: (row) => row.persona, wideOnly: true },
  { id: "recoveries", title: "Recoveries", text: (row) => String(row.recoveries), wideOnly: true, isNumber: true },
  { id: "transcript", title: "Transcript", text: (row) => size(row.transcriptSeq), wideOnly: true, isNumber: true },
];

export function SessionsPage() {
  const { q = "", sort, all = false } = useSearch({ from: "/sessions" });
  const sessions = useSessions(all);
  const navigate = useNavigate({ from: "/sessions" });
  return (
    <Page title="Sessions" above={<RunsNav />} lead="Agents started by Devflow, with their transcripts.">
      <div className="flex flex-wrap items-start gap-x-4">
        <FilterField
          label="Filter sessions"
          value={q}
          onChange={(next) => void navigate({ search: (now) => ({ ...now, q: next }), replace: true })}
        />
        <label className="mb-4 flex h-8 items-center gap-2">
          <input
            type="checkbox"
            checked={all}
            onChange={(event) =>
              void navigate({
                search: (now) => ({ ...now, all: event.target.checked ? true : undefined }),
                replace: true,
              })
            }
            className="size-4 accent-accent"
          />
          Include ended sessions
        </label>
      </div>
      <div className="overflow-hidden rounded-panel border border-line bg-raised">
        {sessions.isPending && <SkeletonRows count={4} />}
        {sessions.isError && <FaultNote fault={sessions.error} onRetry={() => void sessions.refetch()} />}
        {sessions.data?.length === 0 && (
          <EmptyNote title={all ? "No sessions yet" : "No active agents"} command={'devflow run start "…"'} />
        )}
        {sessions.data && sessions.data.length > 0 && (
          <DataTable
            caption="Sessions"
            rows={sessions.data}
            columns={columns}
            keyOf={(row) => row.id}
            order={parseOrder(sort, "run")}
            query={q}
            onSort={(next) => void navigate({ search: (now) => ({ ...now, sort: next }), replace: true })}
          />
        )}
      </div>
    </Page>
  );
}
