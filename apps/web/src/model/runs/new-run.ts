/**
 * The form for a new run, and the request it becomes.
 *
 * - `requestOf(form)` the request; `formFaults(form)` the missing values, by field.
 * - The client token is created with the form, so that two clicks start one run.
 */
import type { RunStartRequest, TemplateView } from "@devflow/protocol";

export interface NewRunForm {
  readonly template: string;
  readonly repository: string;
  readonly baseBranch: string;
  readonly title: string;
  readonly requirements: string;
  /** By role: `persona@version`, or empty to let Devflow choose. */
  readonly overrides: Readonly<Record<string, string>>;
  readonly queue: boolean;
  readonly clientToken: string;
}

export function requestOf(form: NewRunForm, teamId: string | undefined): RunStartRequest {
  const overrides = Object.entries(form.overrides).filter(([, persona]) => persona !== "");
  return {
    ...(teamId ? { teamId } : {}),
    template: form.template,
    repository: form.repository.trim(),
    ...(form.baseBranch.trim() ? { baseBranch: form.baseBranch.trim() } : {}),
    ...(form.title.trim() ? { title: form.title.trim() } : {}),
    requirements: form.requirements.trim(),
    ...(overrides.length > 0
      ? { overrides: Object.fromEntries(overrides.map(([role, persona]) => [role, { persona }])) }
      : {}),
    queue: form.queue,
    clientToken: form.clientToken,
  };
}

export type FormFaults = Partial<Record<"template" | "repository" | "requirements", string>>;

export function formFaults(form: NewRunForm): FormFaults {
  return {
    ...(form.template === "" ? { template: "Choose a template." } : {}),
    ...(form.repository.trim() === "" ? { repository: "Enter the path of a git repository." } : {}),
    ...(form.requirements.trim() === "" ? { requirements: "Enter the requirements." } : {}),
  };
}

export const templateRef = (template: Pick<TemplateView, "name" | "version">): string =>
  `${template.name}@${template.version}`;

/** The newest version of each template; `development`, the most common choice, first. */
export function templateChoices(templates: readonly TemplateView[]): TemplateView[] {
  const newest = new Map<string, TemplateView>();
  for (const template of templates) {
    const before = newest.get(template.name);
    if (!before || before.version < template.version) newest.set(template.name, template);
  }
  const rank = (name: string) => (name === "development" ? 0 : 1);
  return [...newest.values()].sort((a, b) => rank(a.name) - rank(b.name) || a.name.localeCompare(b.name));
}

/** Roles as named in bindings: a role with a count above one has numbered instances. */
export function roleInstances(template: Pick<TemplateView, "roles">): string[] {
  return template.roles.flatMap((role) =>
    role.count > 1 ? Array.from({ length: role.count }, (_, index) => `${role.id}#${index}`) : [role.id],
  );
}
