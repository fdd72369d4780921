/** `devflow run start`: from a sentence to a run. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { plainLine, shortLine } from "@devflow/core/plain-text";
import { BindingPreview, fakeTemplate, RunStarted, type RunStartRequest } from "@devflow/protocol";
import { counted } from "../data/amounts.ts";
import { textTable } from "../text-table.ts";
import { attachFiles } from "./attach-files.ts";
import type { runStartRecord } from "./commands.ts";
import { overridesOf } from "./overrides.ts";
import { connectRuns, type RunsClient } from "./runs-client.ts";
import { shortId } from "./words.ts";

type StartInput = InputOf<typeof runStartRecord>;

export const start: HandlerOf<typeof runStartRecord> = async (input, context) => {
  const { output } = context;
  const overrides = overridesOf(input.override);
  const asked = input.dryRun ? { requirements: "-" } : await askedFor(input, context);
  const title = input.title ?? asked.title;
  const extra = asked.issueUrl ? { ...extraOf(input), issue: { url: asked.issueUrl } } : extraOf(input);
  const request: RunStartRequest = {
    template: input.template,
    repository: resolve(context.cwd, input.repo ?? "."),
    ...(input.base === undefined ? {} : { baseBranch: input.base }),
    ...(title === undefined ? {} : { title }),
    requirements: asked.requirements,
    ...(extra ? { extra } : {}),
    overrides,
    queue: input.queue,
    ...(input.on === undefined ? {} : { on: input.on }),
    ...(input.maxUsd === undefined ? {} : { maxUsd: input.maxUsd }),
    ...(input.maxTokens === undefined ? {} : { maxTokens: input.maxTokens }),
    clientToken: input.clientToken ?? uuidv7(),
  };
  const client = await connectRuns(context, { mayStart: true });
  const preview = await client.post("/api/runs/preview", request, BindingPreview);
  if (input.dryRun) {
    output.result(preview, previewText(preview, input));
    return preview.ok ? 0 : 1;
  }
  // Reported before there is a run, with a workaround.
  if (!preview.ok) throw unbindable(preview, input);
  const attachments = await attachFiles(client, input.attach, context);
  const whole = attachments.length > 0 ? { ...request, attachments } : request;
  const started = await client.post("/api/runs", whole, RunStarted);
  if (!input.watch || !output.json) output.result(started, startedText(started));
  if (preview.roles.length > 0 && preview.roles.every((one) => one.backend === "fake")) {
    output.note("Its agents are fake: they go through every phase, but do not write what you asked for.");
  }
  if (started.overlaps.length > 0) {
    const others = counted(started.overlaps.length, "other run");
    output.note(`${others} on the same base branch: the branches may conflict. See: devflow run list --state active`);
  }
  for (const file of started.ignoredFiles) {
    output.note(`${plainLine(file)} is not valid and is ignored; see: devflow template validate ${plainLine(file)}`);
  }
  return input.watch ? await watchStarted(client, started.runId, context) : 0;
};

async function watchStarted(client: RunsClient, runId: string, context: CommandContext): Promise<number> {
  const { watchRun } = await import("./watch.ts");
  return await watchRun(client, runId, { untilGate: false }, context);
}

function startedText({ runId, queued, created }: { runId: string; queued: boolean; created: boolean }): string {
  const id = shortId(runId);
  const word = queued ? "is queued" : created ? "started" : "was already started with this token";
  return `Run ${id} ${word}.\nFollow it: devflow run watch ${id}`;
}

interface Asked {
  readonly requirements: string;
  readonly title?: string;
  readonly issueUrl?: string;
}

/** What the person wrote, and the issue that they named. */
async function askedFor(input: StartInput, context: CommandContext): Promise<Asked> {
  const { issue, text, requirements } = input;
  if (issue === undefined) return { requirements: await requirementsOf(input, context) };
  const own = text.length > 0 || requirements !== undefined ? await requirementsOf(input, context) : "";
  const { findIssue, issueRequirements, openForgeApi, readIssue } = await import("@devflow/forge");
  const { env, signal } = context;
  const cwd = resolve(context.cwd, input.repo ?? ".");
  const reference = await findIssue(issue, { cwd, env, forges: context.config().forges });
  const found = await readIssue(await openForgeApi(reference.repository, { env, signal }), reference);
  return { requirements: issueRequirements(found, own), title: shortLine(found.title, 200), issueUrl: found.url };
}

async function requirementsOf({ text, requirements }: StartInput, context: CommandContext): Promise<string> {
  const given = text.join(" ").trim();
  if (requirements !== undefined && given !== "") throw usage("Use either the text or --requirements, not both.");
  if (requirements === "-" || given === "-") return notEmpty(await context.readStdin(), "standard input");
  if (requirements !== undefined) {
    const path = resolve(context.cwd, requirements);
    const content = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      throw usage(`${path} cannot be read: ${error.code ?? error.message}.`);
    });
    return notEmpty(content, path);
  }
  if (given === "") throw usage("What should be done?");
  return given;
}

function notEmpty(text: string, from: string): string {
  if (text.trim() === "") throw usage(`${from} is empty; a run needs requirements.`);
  return text;
}

/** `--scenario plan=invalid,ok`: what the fake does in that phase, attempt by attempt. */
function extraOf({ scenario, extra }: StartInput): Record<string, unknown> | undefined {
  let given: Record<string, unknown> = {};
  if (extra !== undefined) {
    try {
      given = JSON.parse(extra) as Record<string, unknown>;
    } catch {
      throw usage("--extra is not JSON.");
    }
    if (typeof given !== "object" || given === null || Array.isArray(given))
      throw usage("--extra must be a JSON object.");
  }
  if (scenario.length === 0) return extra === undefined ? undefined : given;
  const script = Object.fromEntries(
    scenario.map((text) => {
      const [phase = "", names = ""] = text.split("=", 2);
      if (phase === "" || names === "") throw usage(`--scenario must be phase=name, not "${text}".`);
      return [phase, names.split(",")];
    }),
  );
  const fake = (given.fake ?? {}) as Record<string, unknown>;
  return { ...given, fake: { ...fake, script: { ...(fake.script as object | undefined), ...script } } };
}

/** A few lines: who plays which role, or what is missing. The reasons are only shown on request. */
function previewText(preview: BindingPreview, { template, explain }: StartInput): string {
  const head = preview.ok
    ? `Nothing was started. ${template} would run with:`
    : `${template} cannot start: ${plainLine(preview.reason ?? "")}`;
  if (explain) {
    const reasons = preview.roles.flatMap(({ role, chosen, why, others }) => [
      `${role}: ${chosen ?? "nobody"} (${plainLine(why)})`,
      ...others.map((other) => `    not ${other.persona}: ${plainLine(other.why)}`),
    ]);
    return [head, ...reasons].join("\n");
  }
  const rows = preview.roles.map(({ role, chosen, backend }) => [`  ${role}`, chosen ?? "nobody", backend ?? ""]);
  const table = rows.length > 0 ? [textTable([{ title: "" }, { title: "" }, { title: "" }], rows)] : [];
  return [head, ...table, `Why: devflow run start --dry-run --explain --template ${template}`].join("\n");
}

function unbindable(preview: BindingPreview, { template }: StartInput): DevflowError {
  const isBackend = preview.code === "backend_unavailable";
  const next = isBackend
    ? `Without a model, to look around: devflow run start --template ${fakeTemplate} "…"`
    : `See why: devflow run start --dry-run --explain --template ${template}`;
  const code = isBackend ? "backend_unavailable" : "no_eligible_persona";
  return new DevflowError(code, { details: { reason: preview.reason ?? "no bindings for this template", next } });
}

function usage(problem: string): DevflowError {
  return new DevflowError("usage", {
    details: { problem, next: 'For example: devflow run start "greet in several languages"' },
  });
}
