/** The fields of the form for a new run, each with its error message below. */
import type { TemplateView } from "@devflow/protocol";
import { type ReactNode, useState } from "react";
import { type FormFaults, type NewRunForm, templateRef } from "../../model/runs/new-run.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { useRepos } from "../../queries.ts";

interface FieldProps {
  readonly form: NewRunForm;
  readonly faults: FormFaults;
  readonly change: (part: Partial<NewRunForm>) => void;
}

const box = "w-full rounded-small border border-line-strong bg-canvas px-2 placeholder:text-ink-soft";

function Field(props: { id: string; label: string; hint?: string; fault?: string | undefined; children: ReactNode }) {
  return (
    <div className="grid min-w-0 content-start gap-1">
      <label htmlFor={props.id} className="font-medium">
        {props.label}
      </label>
      {props.children}
      {props.fault ? (
        <p id={`${props.id}-fault`} role="alert" className="text-meta text-bad">
          {props.fault}
        </p>
      ) : (
        props.hint && <p className="text-meta text-ink-soft">{props.hint}</p>
      )}
    </div>
  );
}

const fieldProps = (id: string, fault: string | undefined) => ({
  id,
  "aria-invalid": fault !== undefined,
  "aria-describedby": fault === undefined ? undefined : `${id}-fault`,
});

export function RequirementsField({ form, faults, change }: FieldProps) {
  const [isPreview, setPreview] = useState(false);
  return (
    <Field id="run-requirements" label="Requirements" fault={faults.requirements}>
      {isPreview ? (
        <div id="run-requirements" className="min-h-60 rounded-small border border-line p-3">
          {form.requirements.trim() ? (
            <Markdown text={form.requirements} />
          ) : (
            <span className="text-ink-soft">Nothing to preview.</span>
          )}
        </div>
      ) : (
        <textarea
          {...fieldProps("run-requirements", faults.requirements)}
          rows={12}
          spellCheck
          value={form.requirements}
          onChange={(event) => change({ requirements: event.target.value })}
          placeholder={
            "What must be true when the work is done.\n\n- One line for each requirement that can be checked"
          }
          className={`${box} min-h-60 py-2 font-mono text-meta`}
        />
      )}
      <div>
        <button
          type="button"
          aria-pressed={isPreview}
          onClick={() => setPreview(!isPreview)}
          className="text-meta text-accent hover:underline"
        >
          {isPreview ? "Edit" : "Preview Markdown"}
        </button>
      </div>
    </Field>
  );
}

export function TitleField({ form, faults, change }: FieldProps) {
  return (
    <Field id="run-title" label="Title" hint="Optional. If empty, taken from the requirements." fault={faults.title}>
      <input
        {...fieldProps("run-title", faults.title)}
        value={form.title}
        maxLength={500}
        onChange={(event) => change({ title: event.target.value })}
        className={`${box} h-8`}
      />
    </Field>
  );
}

export function RepositoryField({ form, faults, change }: FieldProps) {
  const repos = useRepos();
  const known = (repos.data ?? []).filter((repo) => repo.path_hint);
  return (
    <Field
      id="run-repository"
      label="Repository"
      hint={
        known.length > 0
          ? "A registered repository, or any folder on the server's machine."
          : "A folder on the server's machine."
      }
      fault={faults.repository}
    >
      <input
        {...fieldProps("run-repository", faults.repository)}
        list="run-repositories"
        value={form.repository}
        onChange={(event) => {
          const repository = event.target.value;
          const repo = known.find((each) => each.path_hint === repository);
          change({
            repository,
            ...(repo?.default_branch && form.baseBranch === "" ? { baseBranch: repo.default_branch } : {}),
          });
        }}
        placeholder="/path/to/repository"
        className={`${box} h-8 font-mono text-meta`}
      />
      <datalist id="run-repositories">
        {known.map((repo) => (
          <option key={repo.id} value={repo.path_hint ?? ""}>
            {repo.name}
          </option>
        ))}
      </datalist>
      {known.length > 0 && form.repository === "" && (
        <div className="flex flex-wrap gap-1">
          {known.slice(0, 6).map((repo) => (
            <button
              key={repo.id}
              type="button"
              onClick={() => change({ repository: repo.path_hint ?? "", baseBranch: repo.default_branch ?? "" })}
              className="max-w-full truncate rounded-small border border-line px-2 text-meta hover:bg-hover"
            >
              {repo.name}
            </button>
          ))}
        </div>
      )}
    </Field>
  );
}

export function BaseBranchField({ form, faults, change }: FieldProps) {
  return (
    <Field
      id="run-baseBranch"
      label="Base branch"
      hint="Optional. Defaults to the checked-out branch."
      fault={faults.baseBranch}
    >
      <input
        {...fieldProps("run-baseBranch", faults.baseBranch)}
        value={form.baseBranch}
        onChange={(event) => change({ baseBranch: event.target.value })}
        placeholder="main"
        className={`${box} h-8 font-mono text-meta`}
      />
    </Field>
  );
}

export function TemplateField({ form, faults, change, choices }: FieldProps & { choices: readonly TemplateView[] }) {
  const template = choices.find((each) => templateRef(each) === form.template);
  const gates = template?.phases.filter((phase) => phase.gates.length > 0).map((phase) => phase.title) ?? [];
  return (
    <Field
      id="run-template"
      label="Template"
      fault={faults.template}
      hint={
        template
          ? `${template.phases.map((phase) => phase.title).join(" → ")}. ${gates.length > 0 ? `Asks for approval after: ${gates.join(", ")}.` : "Never asks for approval."}`
          : ""
      }
    >
      <select
        {...fieldProps("run-template", faults.template)}
        value={form.template}
        onChange={(event) => change({ template: event.target.value, overrides: {} })}
        className={`${box} h-8`}
      >
        {choices.length === 0 && <option value="">No template</option>}
        {choices.map((each) => (
          <option key={each.hash} value={templateRef(each)}>
            {templateRef(each)}
          </option>
        ))}
      </select>
    </Field>
  );
}
