/** `browse learn` and `browse task`. */
import { join, relative } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { nearest } from "@devflow/core/nearest";
import type { Answer, DaemonScope } from "../command.ts";
import { browseCommands } from "../commands/index.ts";
import { listBundles, readBundle } from "../evidence/index.ts";
import { verbFrom } from "./learn-verb.ts";
import { runVerb, valuesFor } from "./run-verb.ts";
import { slug } from "./slug.ts";
import { type FoundVerb, pagesFolder, readVerbs, writeVerb } from "./verb-file.ts";

export async function learn(
  { verb: name, bundle }: { readonly verb: string; readonly bundle?: string | undefined },
  { daemon, files }: DaemonScope,
): Promise<Answer> {
  const { workspace } = daemon;
  const folder = bundle === undefined ? listBundles(workspace)[0] : await files.forReading(bundle);
  if (folder === undefined) {
    const next = "Record the steps first: devflow browse evidence start";
    throw new DevflowError("not_found", { details: { what: "An evidence bundle", next } });
  }
  return await learnFrom(workspace, folder, name);
}

export async function learnFrom(workspace: string, folder: string, name: string): Promise<Answer> {
  const bodies = readBundle(folder).commands.map(({ body }) => body);
  const verb = verbFrom(bodies, browseCommands);
  if (verb.steps.length === 0) {
    const problem = `${relative(workspace, folder)} has no steps that can be repeated.`;
    throw new DevflowError("input_invalid", { details: { problem, next: "See it: devflow browse evidence list" } });
  }
  const url = bodies.map((body) => body.input.url ?? body.url).find((one) => URL.canParse(String(one)));
  const file = join(pagesFolder(workspace), `${slug(url ? new URL(String(url)).host : "") || "pages"}.yaml`);
  await writeVerb(file, name, verb);
  const use = usageOf({ name, verb, file });
  return {
    text: `${verb.steps.length} steps in ${relative(workspace, file)}\nRun it: devflow browse task ${use}`,
    data: { verb: name, file, steps: verb.steps.length, takes: Object.keys(verb.takes) },
  };
}

export async function task(
  { verb: name, values: words }: { readonly verb?: string | undefined; readonly values: readonly string[] },
  { daemon, signal }: DaemonScope,
): Promise<Answer> {
  const verbs = readVerbs(daemon.workspace);
  if (name === undefined) {
    const text = verbs.map(usageOf).join("\n") || "None yet: devflow browse learn <verb>, after evidence was recorded";
    return { text, data: { verbs: verbs.map((one) => ({ name: one.name, takes: Object.keys(one.verb.takes) })) } };
  }
  const found = verbs.find((one) => one.name === name) ?? unknown(name, verbs);
  const values = valuesFor(found.verb, words);
  const result = await runVerb(found, values, { records: browseCommands, run: daemon.runStep, signal });
  if (result.repaired && result.isComplete) await writeVerb(found.file, name, result.repaired);
  const { done, differences, isComplete, last, lost } = result;
  const total = found.verb.steps.length;
  const lines = [
    isComplete ? `${name}: done, ${total} steps` : `${name}: ${done} of ${total} steps`,
    ...differences.map((one) => `${isComplete ? "changed" : "stopped"} ${one}`),
    // The first line repeats the step.
    ...(isComplete ? (last?.text.split("\n").slice(1) ?? []) : await whereItStopped(daemon)),
    ...(lost === undefined ? [] : [howToRepair(found, lost, daemon.workspace)]),
  ];
  const data = { verb: name, ok: isComplete, done, total, differences, last: last?.data };
  return { text: lines.join("\n"), data, fromPage: true, ...(isComplete ? {} : { exit: 65 }) };
}

async function whereItStopped(daemon: DaemonScope["daemon"]): Promise<string[]> {
  const here = (await daemon.tabs(false)).find(({ isCurrent }) => isCurrent);
  return [...(here ? [`The page is ${here.url}`] : []), "See it: snapshot -i"];
}

function howToRepair({ name, file }: FoundVerb, step: number, workspace: string): string {
  const where = `step ${step} of ${name} in ${relative(workspace, file)}`;
  return `If one of them is meant, write its name into ${where}; else learn it again: devflow browse learn ${name}`;
}

const usageOf = ({ name, verb }: FoundVerb): string =>
  [name, ...Object.entries(verb.takes).map(([key, known]) => (known === null ? `<${key}>` : `[${key}]`))].join(" ");

function unknown(name: string, verbs: readonly FoundVerb[]): never {
  const meant = nearest(
    name,
    verbs.map((one) => one.name),
  );
  const next = meant ? `Did you mean: devflow browse task ${meant}` : "See the verbs: devflow browse task";
  throw new DevflowError("not_found", { details: { what: `A verb "${name}"`, next } });
}
