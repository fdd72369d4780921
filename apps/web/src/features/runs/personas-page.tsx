/** Personas: which roles they can play, with which capabilities and up to which risk. */
import type { PersonaView } from "@devflow/protocol";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { BackLink } from "../../parts/back-link.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { Facts, Mono } from "../../parts/facts.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { RegistryList } from "./registry-list.tsx";
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
  { id: "risk", title: "Max. risk", text: (row) => row.maxRiskLevel, wideOnly: true },
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
  const search = useSearch({ from: "/personas" });
  const navigate = useNavigate({ from: "/personas" });
  return (
    <Page title="Personas" above={<RunsNav />} lead="Agent configurations that can play the roles of a template.">
      <RegistryList
        title="Personas"
        empty="No personas yet"
        query={personas}
        columns={columns}
        search={search}
        onSearch={(change) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true })}
      />
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
              ["Max. risk", persona.maxRiskLevel],
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
