/** Which persona would play each role, and why not the others. The server computes it from the form without saving anything. */
import type { BindingPreview, PersonaView, TemplateView } from "@devflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { useServices } from "../../app-context.tsx";
import { type NewRunForm, requestOf, roleInstances } from "../../model/runs/new-run.ts";
import { Icon } from "../../parts/icon.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useTeam } from "../../queries.ts";
import { usePersonas } from "./run-queries.ts";

export function BindingPreviewPanel(props: {
  form: NewRunForm;
  template: TemplateView | undefined;
  onChange: (overrides: NewRunForm["overrides"]) => void;
}) {
  const { api } = useServices();
  const team = useTeam();
  const personas = usePersonas();
  // Bindings depend on the template and the overrides only; the text is a placeholder that makes the request valid.
  const form = useDeferredValue(props.form);
  const request = requestOf({ ...form, title: "", requirements: "preview", baseBranch: "" }, team?.id);
  const preview = useQuery({
    queryKey: ["preview", form.template, form.overrides, form.repository],
    queryFn: ({ signal }) => api.runs.preview({ ...request, repository: form.repository.trim() || "." }, signal),
    enabled: form.template !== "",
    placeholderData: (before) => before,
  });
  if (!props.template) return <EmptyNote title="No template selected" />;
  if (preview.isError) return <FaultNote fault={preview.error} onRetry={() => void preview.refetch()} />;
  if (preview.isPending) return <SkeletonRows count={4} />;
  const { data } = preview;
  const roles = data.roles.length > 0 ? data.roles.map((role) => role.role) : roleInstances(props.template);
  return (
    <>
      {!data.ok && (
        <p role="note" className="flex gap-2 border-b border-line bg-warn-soft px-4 py-3 break-words">
          <span className="text-warn">
            <Icon name="warning" />
          </span>
          <span className="min-w-0">
            <span className="font-medium text-warn">This run cannot start. </span>
            {data.reason}
          </span>
        </p>
      )}
      <ul className="divide-y divide-line">
        {roles.map((role) => (
          <RoleRow
            key={role}
            role={role}
            found={data.roles.find((each) => each.role === role)}
            personas={personas.data ?? []}
            override={props.form.overrides[role] ?? ""}
            onOverride={(persona) => props.onChange({ ...props.form.overrides, [role]: persona })}
          />
        ))}
      </ul>
    </>
  );
}

function RoleRow(props: {
  role: string;
  found: BindingPreview["roles"][number] | undefined;
  personas: readonly PersonaView[];
  override: string;
  onOverride: (persona: string) => void;
}) {
  const { role, found } = props;
  return (
    <li className="grid gap-2 px-4 py-3" data-role={role}>
      <div className="flex items-start justify-between gap-4">
        <span className="grid min-w-0 break-words">
          <span className="font-medium">{role}</span>
          <span className={found?.chosen ? "text-ink-soft" : "text-bad"}>{found?.chosen ?? "no persona fits"}</span>
        </span>
        <select
          aria-label={`Persona for ${role}`}
          value={props.override}
          onChange={(event) => props.onOverride(event.target.value)}
          className="h-7 w-40 shrink-0 rounded-small border border-line bg-canvas px-1 text-meta"
        >
          <option value="">Automatic</option>
          {props.personas.map((persona) => (
            <option key={persona.hash} value={`${persona.name}@${persona.version}`}>
              {persona.name}@{persona.version}
            </option>
          ))}
        </select>
      </div>
      {found && <p className="text-meta break-words text-ink-soft">{found.why}</p>}
      {found && found.others.length > 0 && (
        <details className="text-meta">
          <summary className="text-ink-soft hover:text-ink">Why not the other {found.others.length}</summary>
          <ul className="mt-1 grid gap-1">
            {found.others.map((other) => (
              <li key={other.persona} className="break-words">
                <span className="font-medium">{other.persona}</span> <span className="text-ink-soft">{other.why}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
