/** Templates: their phases, roles and gates. */
import type { OfferedTemplate } from "@devflow/protocol";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { templateRef } from "../../model/runs/new-run.ts";
import { BackLink } from "../../parts/back-link.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { Facts, Mono } from "../../parts/facts.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { RegistryList } from "./registry-list.tsx";
import { useTemplates } from "./run-queries.ts";
import { RunsNav } from "./runs-nav.tsx";
import { TemplatePhase } from "./template-phase.tsx";

const columns: readonly Column<OfferedTemplate>[] = [
  {
    id: "name",
    title: "Template",
    text: templateRef,
    cell: (row) => (
      <Link to="/templates/$name" params={{ name: templateRef(row) }} data-row className="font-medium hover:underline">
        {templateRef(row)}
      </Link>
    ),
  },
  {
    id: "phases",
    title: "Phases",
    text: (row) => row.phases.map((phase) => phase.title).join(" → "),
    wideOnly: true,
    width: "w-1/2",
  },
  { id: "roles", title: "Roles", text: (row) => row.roles.map((role) => role.id).join(", ") },
  {
    id: "agents",
    title: "Agents",
    text: (row) => [...new Set(row.roles.flatMap((role) => role.preferredBackends))].join(", ") || "any",
    cell: (row) => (
      <>
        {[...new Set(row.roles.flatMap((role) => role.preferredBackends))].join(", ") || "any"}
        {row.blocked !== null && <span className="block text-meta text-warn">cannot start now</span>}
      </>
    ),
  },
];

export function TemplatesPage() {
  const templates = useTemplates();
  const search = useSearch({ from: "/templates" });
  const navigate = useNavigate({ from: "/templates" });
  return (
    <Page
      title="Templates"
      above={<RunsNav />}
      lead="The phases, roles and gates of a run. A template never changes; edits make a new version."
    >
      <RegistryList
        title="Templates"
        empty="No templates yet"
        query={templates}
        columns={columns}
        search={search}
        onSearch={(change) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true })}
      />
    </Page>
  );
}

export function TemplatePage() {
  const { name } = useParams({ from: "/templates/$name" });
  const templates = useTemplates();
  const template = templates.data?.find((each) => templateRef(each) === name || each.name === name);
  return (
    <Page title={name} above={<BackLink to="/templates">Templates</BackLink>}>
      {templates.isPending && <SkeletonRows count={6} />}
      {templates.isError && <FaultNote fault={templates.error} onRetry={() => void templates.refetch()} />}
      {templates.data && !template && <EmptyNote title="No such template" command="devflow template list" />}
      {template && (
        <div className="grid gap-8">
          {template.blocked !== null && (
            <p role="note" className="rounded-small bg-warn-soft px-4 py-3 break-words">
              <span className="font-medium text-warn">No run can start with it now. </span>
              {template.blocked}
            </p>
          )}
          <Panel title="Phases">
            <ol className="divide-y divide-line">
              {template.phases.map((phase, index) => (
                <TemplatePhase key={phase.key} phase={phase} place={index + 1} />
              ))}
            </ol>
          </Panel>
          <Panel title="Roles">
            <ul className="divide-y divide-line">
              {template.roles.map((role) => (
                <li key={role.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
                  <span className="basis-36 font-medium">
                    {role.id}
                    {role.count > 1 && <span className="text-ink-soft"> × {role.count}</span>}
                  </span>
                  <span className="min-w-0 flex-1 basis-48 break-words text-ink-soft">
                    {role.requiredCapabilities.join(", ")}
                  </span>
                  <span className="text-meta text-ink-soft">{role.preferredBackends.join(", ") || "any backend"}</span>
                </li>
              ))}
            </ul>
          </Panel>
          <Panel title="Identity">
            <Facts rows={[["Hash", <Mono key="hash">{template.hash}</Mono>]]} />
          </Panel>
        </div>
      )}
    </Page>
  );
}
