/** The machines that drive runs: their state, and what is wrong with them. */
import type { HostView } from "@devflow/protocol";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { beatWord, hostWord } from "../../model/runs/fleet-words.ts";
import { parseOrder } from "../../model/table-order.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Page } from "../../parts/page.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { FilterField } from "./filter-field.tsx";
import { useFleet } from "./run-queries.ts";
import { RunsNav } from "./runs-nav.tsx";

const columns: readonly Column<HostView>[] = [
  {
    id: "name",
    title: "Machine",
    text: (row) => row.name,
    cell: (row) => (
      <span data-row className="font-medium" title={row.host}>
        {row.name}
      </span>
    ),
  },
  { id: "state", title: "State", text: (row) => hostWord(row).word, cell: (row) => <StateWord {...hostWord(row)} /> },
  { id: "runs", title: "Runs", text: (row) => `${row.busy} of ${row.places}`, isNumber: true },
  { id: "beat", title: "Last beat", text: (row) => beatWord(row), wideOnly: true, isNumber: true },
  { id: "agents", title: "Agents", text: (row) => row.agents.join(", "), wideOnly: true },
  { id: "labels", title: "Labels", text: (row) => row.labels.join(", "), wideOnly: true },
  { id: "version", title: "Version", text: (row) => row.version, wideOnly: true },
];

export function FleetPage() {
  const { q = "", sort } = useSearch({ from: "/fleet" });
  const navigate = useNavigate({ from: "/fleet" });
  const fleet = useFleet();
  const { data } = fleet;
  return (
    <Page title="Fleet" above={<RunsNav />} lead="Machines that drive runs on Temporal.">
      {fleet.isPending && (
        <div className="overflow-hidden rounded-panel border border-line bg-raised">
          <SkeletonRows count={3} />
        </div>
      )}
      {fleet.isError && <FaultNote fault={fleet.error} onRetry={() => void fleet.refetch()} />}
      {/* Problems come first and are known last, so nothing stands below them until then: it would move. */}
      {data && data.problems.length > 0 && <Problems of={data.problems} />}
      {data?.hosts.length === 0 && (
        <EmptyNote
          title={data.engine === "inline" ? "This server drives its runs itself" : "No machine has a worker yet"}
          command={data.engine === "inline" ? "devflow config set engine temporal" : "devflow-worker"}
        />
      )}
      {data && data.hosts.length > 0 && (
        <>
          <FilterField
            label="Filter machines"
            value={q}
            onChange={(next) => void navigate({ search: (now) => ({ ...now, q: next }), replace: true })}
          />
          <div className="overflow-hidden rounded-panel border border-line bg-raised">
            <DataTable
              caption="Machines"
              rows={data.hosts}
              columns={columns}
              keyOf={(row) => row.host}
              order={parseOrder(sort, "name")}
              query={q}
              onSort={(next) => void navigate({ search: (now) => ({ ...now, sort: next }), replace: true })}
            />
          </div>
        </>
      )}
    </Page>
  );
}

const Problems = ({ of: problems }: { readonly of: readonly string[] }) => (
  <ul aria-label="Problems" className="mb-4 space-y-1 rounded-panel border border-line bg-raised px-4 py-3">
    {problems.map((problem) => (
      <li key={problem} className="break-words text-warn">
        {problem}
      </li>
    ))}
  </ul>
);
