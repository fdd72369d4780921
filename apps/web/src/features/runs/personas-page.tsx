/** Personas: who can play a role, with which abilities and up to which risk. */
import type { PersonaView } from "@devflow/protocol";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { parseOrder } from "../../model/table-order.ts";
import { BackLink } from "../../parts/back-link.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Facts, Mono } from "../../parts/facts.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { FilterField } from "./filter-field.tsx";
import { usePersonas } from "./run-queries.ts";
import { RunsNav } from "./runs-nav.tsx";

const refOf = (persona: Pick<PersonaView, "name" | "version">): string => `${persona.name}@${persona.version}`;

const columns: readonly Column<PersonaView>[] = [
  {
    id: "name",
    title: "Persona",
    text: refOf,
    cell: (row) => (
      <Link to="/personas/$name" params={{ name: refOf(row) }} data-row className="font-medium hover:underline">
        {refOf(row)}
      </Link>
    ),
  },
  { id: "backend", title: "Backend", text: (row) => row.backend },
  { id: "risk", title: "Up to risk", text: (row) => row.maxRiskLevel, wideOnly: true },
  {
    id: "capabilities",
    title: "Capabilities",
    text: (row) => row.capabilities.join(", "),
    wideOnly: true,
    width: "w-1/2",
  },
];

export function PersonasPage() {
  const personas = usePersonas();
  const { q = "", sort } = useSearch({ from: "/personas" });
  const navigate = useNavigate({ from: "/personas" });
  return (
    <Page title="Personas" above={<RunsNav />} lead="Who can play the roles of a template.">
      <FilterField
        label="Filter personas"
        value={q}
        onChange={(next) => void navigate({ search: (now) => ({ ...now, q: next }), replace: true })}
      />
      <div className="overflow-hidden rounded-panel border border-line bg-raised">
        {personas.isPending && <SkeletonRows count={6} />}
        {personas.isError && <FaultNote fault={personas.error} onRetry={() => void personas.refetch()} />}
        {personas.data?.length === 0 && <EmptyNote title="No persona yet" command="devflow template seed" />}
        {personas.data && personas.data.length > 0 && (
          <DataTable
            caption="Personas"
            rows={personas.data}
            columns={columns}
            keyOf={(row) => row.hash}
            order={parseOrder(sort, "name")}
            query={q}
            onSort={(next) => void navigate({ search: (now) => ({ ...now, sort: next }), replace: true })}
          />
        )}
      </div>
    </Page>
  );
}

export function PersonaPage() {
  const { name } = useParams({ from: "/personas/$name" });
  const personas = usePersonas();
  const persona = personas.data?.find((each) => refOf(each) === name || each.name === name);
  return (
    <Page title={name} above={<BackLink to="/personas">Personas</BackLink>}>
      <Panel title="Persona">
        {personas.isPending && <SkeletonRows count={5} />}
        {personas.isError && <FaultNote fault={personas.error} onRetry={() => void personas.refetch()} />}
        {personas.data && !persona && <EmptyNote title="No such persona" command="devflow persona list" />}
        {persona && (
          <Facts
            rows={[
              ["Backend", persona.backend],
              ["Up to risk", persona.maxRiskLevel],
              ["Capabilities", persona.capabilities.join(", ")],
              ["Roles", persona.allowedRoles === null ? "any" : persona.allowedRoles.join(", ") || "none"],
              ["Hash", <Mono key="hash">{persona.hash}</Mono>],
            ]}
          />
        )}
      </Panel>
    </Page>
  );
}
