/** The form for a new run, with a preview of which persona would play each role. */
import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useServices } from "../../app-context.tsx";
import { ApiFault } from "../../model/api-fault.ts";
import {
  type FormFaults,
  faultsOfRefusal,
  formFaults,
  type NewRunForm,
  requestOf,
  templateChoices,
  templateRef,
} from "../../model/runs/new-run.ts";
import { BackLink } from "../../parts/back-link.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useTeam } from "../../queries.ts";
import { AttachField, AttachZone } from "./attach-field.tsx";
import { BindingPreviewPanel } from "./binding-preview.tsx";
import { BaseBranchField, RepositoryField, RequirementsField, TemplateField, TitleField } from "./new-run-fields.tsx";
import { useTemplates } from "./run-queries.ts";
import { useAction } from "./use-action.ts";
import { useUploads } from "./use-uploads.ts";

export function NewRunPage() {
  const { api } = useServices();
  const team = useTeam();
  const navigate = useNavigate();
  const templates = useTemplates();
  const [edited, setForm] = useState<NewRunForm>(() => ({
    template: "",
    repository: "",
    baseBranch: "",
    title: "",
    requirements: "",
    overrides: {},
    queue: false,
    clientToken: crypto.randomUUID(),
  }));
  const [faults, setFaults] = useState<FormFaults>({});
  const uploads = useUploads();
  const choices = templateChoices(templates.data ?? []);
  const form = edited.template || !choices[0] ? edited : { ...edited, template: templateRef(choices[0]) };
  const template = choices.find((each) => templateRef(each) === form.template);
  const change = (part: Partial<NewRunForm>) => {
    setForm((now) => ({ ...now, ...part }));
    setFaults((now) => Object.fromEntries(Object.entries(now).filter(([field]) => !(field in part))));
  };
  // The form's token, not one per click: a second click and a retry start the same run.
  const act = useAction(async (request: ReturnType<typeof requestOf>) => {
    const started = await api.runs.start(request).catch((fault: unknown) => {
      const found = fault instanceof ApiFault ? faultsOfRefusal(fault) : undefined;
      if (found) point(found);
      throw fault;
    });
    void navigate({ to: "/runs/$id", params: { id: started.runId } });
  });

  function point(found: FormFaults) {
    setFaults(found);
    const first = Object.keys(found)[0];
    if (first) document.getElementById(`run-${first}`)?.focus();
  }

  function start(event: FormEvent) {
    event.preventDefault();
    const found = formFaults(form);
    point(found);
    if (Object.keys(found).length > 0 || uploads.isSending) return;
    const request = requestOf(form, team?.id);
    const attachments = uploads.files.map(({ id }) => id);
    void act.send(attachments.length > 0 ? { ...request, attachments } : request);
  }

  const field = { form, faults, change };
  return (
    <Page
      title="New run"
      broad
      above={<BackLink to="/runs">Runs</BackLink>}
      lead="Describe the work. Agents specify, plan, implement and review it; you decide at the gates."
    >
      {templates.isError && <FaultNote fault={templates.error} onRetry={() => void templates.refetch()} />}
      {templates.isPending && <SkeletonRows count={6} />}
      {templates.data && (
        <form
          noValidate
          aria-label="New run"
          onSubmit={start}
          className="grid gap-8 broad:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]"
        >
          <div className="grid min-w-0 content-start gap-5">
            <AttachZone uploads={uploads}>
              <div className="grid gap-2">
                <RequirementsField {...field} />
                <AttachField uploads={uploads} />
              </div>
            </AttachZone>
            <TitleField {...field} />
            <div className="grid gap-5 wide:grid-cols-2">
              <RepositoryField {...field} />
              <BaseBranchField {...field} />
            </div>
            <TemplateField {...field} choices={choices} />
            <label className="flex items-center gap-2">
              <input
                type="checkbox"
                checked={form.queue}
                onChange={(event) => change({ queue: event.target.checked })}
                className="size-4 accent-accent"
              />
              Queue the run if too many are active
            </label>
            {act.fault && Object.keys(faults).length === 0 && (
              <StartFault fault={act.fault} onQueue={() => change({ queue: true })} />
            )}
            <div className="flex flex-wrap items-center gap-4">
              <Button variant="strong" type="submit" disabled={act.isSending || uploads.isSending}>
                {act.isSending ? "Starting…" : "Start run"}
              </Button>
              <span className="text-meta text-ink-soft">
                or run <CopyCommand command={'devflow run start "…"'} quiet />
              </span>
            </div>
          </div>
          <Panel title="Who will do it">
            <BindingPreviewPanel form={form} template={template} onChange={(overrides) => change({ overrides })} />
          </Panel>
        </form>
      )}
    </Page>
  );
}

/** Why the run did not start, with a link to the run that blocks it or a way to queue it. */
function StartFault({ fault, onQueue }: { fault: Error; onQueue: () => void }) {
  const current = fault instanceof ApiFault ? fault.details.currentRunId : undefined;
  const isFull = fault instanceof ApiFault && fault.code === "too_many_runs";
  return (
    <div role="alert" className="grid justify-items-start gap-2 rounded-small bg-bad-soft px-4 py-3">
      <p className="break-words">
        <span className="font-medium text-bad">Not started. </span>
        {fault.message} {fault instanceof ApiFault && !fault.next.startsWith("devflow ") && fault.next}
      </p>
      {typeof current === "string" && (
        <Link to="/runs/$id" params={{ id: current }} className="text-accent underline underline-offset-2">
          Open the current run
        </Link>
      )}
      {isFull && <Button onClick={onQueue}>Turn on queueing</Button>}
    </div>
  );
}
