/**
 * The form for a new run, and the request it becomes.
 *
 * - `requestOf(form)` the request; `formFaults(form)` the missing values, by field; `faultsOfRefusal(fault)` what the server
 *   refused, by field.
 * - `templateChoices(templates)` what the form offers.
 * - The client token is created with the form, so that two clicks start one run.
 */
import type { OfferedTemplate, RunStartRequest, TemplateView } from "@devflow/protocol";

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

export type FormFaults = Partial<Record<"template" | "repository" | "baseBranch" | "title" | "requirements", string>>;

export function formFaults(form: NewRunForm): FormFaults {
  return {
    ...(form.template === "" ? { template: "Choose a template." } : {}),
    ...(form.repository.trim() === "" ? { repository: "Enter the path of a git repository." } : {}),
    ...(form.requirements.trim() === "" ? { requirements: "Enter the requirements." } : {}),
  };
}

export const templateRef = (template: Pick<TemplateView, "name" | "version">): string =>
  `${template.name}@${template.version}`;

/** The newest version of each template that a run can start with now; `development`, the most common choice, first. */
export function templateChoices(templates: readonly OfferedTemplate[]): OfferedTemplate[] {
  const newest = new Map<string, OfferedTemplate>();
  for (const template of templates) {
    const before = newest.get(template.name);
    if (!before || before.version < template.version) newest.set(template.name, template);
  }
  const rank = (name: string) => (name === "development" ? 0 : 1);
  return [...newest.values()]
    .filter((one) => one.blocked === null)
    .sort((a, b) => rank(a.name) - rank(b.name) || a.name.localeCompare(b.name));
}

/** A refusal of the server at the field that it is about, in words for a form. Undefined: it is about none of them. */
export function faultsOfRefusal({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): FormFaults | undefined {
  const [field, words] = refusals.find(({ codes, about }) => codes.includes(code) && about.test(message))?.at ?? [];
  return field === undefined ? undefined : { [field]: words ?? message };
}

const refusals: readonly {
  readonly codes: readonly string[];
  readonly about: RegExp;
  /** Without words, the server's own are used. */
  readonly at: readonly [field: keyof FormFaults, words?: string];
}[] = [
  { codes: ["not_found"], about: /^The branch /, at: ["baseBranch"] },
  {
    codes: ["input_invalid"],
    about: /has no current branch/,
    at: ["baseBranch", "No branch is checked out in this repository. Enter the branch to start from."],
  },
  {
    codes: ["not_found"],
    about: /^Template /,
    at: ["template", "This template no longer exists. Choose another one."],
  },
  {
    codes: ["not_found", "input_invalid", "conflict"],
    about: /repository|^The folder|has no commit/,
    at: ["repository"],
  },
  {
    codes: ["git_failed", "git_missing"],
    about: /./,
    at: ["repository", "This folder is not a usable git repository."],
  },
  { codes: ["backend_unavailable", "no_eligible_persona"], about: /./, at: ["template"] },
  {
    codes: ["input_invalid"],
    about: /^requirements/,
    at: ["requirements", "The requirements are too long, or empty."],
  },
  { codes: ["input_invalid"], about: /^title/, at: ["title", "The title is too long."] },
];

/** Roles as named in bindings: a role with a count above one has numbered instances. */
export function roleInstances(template: Pick<TemplateView, "roles">): string[] {
  return template.roles.flatMap((role) =>
    role.count > 1 ? Array.from({ length: role.count }, (_, index) => `${role.id}#${index}`) : [role.id],
  );
}
