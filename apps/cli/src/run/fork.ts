/** `devflow run fork`: a new run from the state before a phase of another one. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { type ForkRequest, RunStarted } from "@devflow/protocol";
import type { runForkRecord } from "./fork-commands.ts";
import { overridesOf } from "./overrides.ts";
import { pickRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { shortId } from "./words.ts";

export const fork: HandlerOf<typeof runForkRecord> = async (input, context) => {
  const { output } = context;
  const overrides = overridesOf(input.override, input.model);
  const instructions = await instructionsOf(input.instructions, context);
  const client = await connectRuns(context);
  const origin = await pickRun(client, input.run, "run fork", context);
  const request: ForkRequest = {
    at: input.at,
    ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(input.title === undefined ? {} : { title: input.title }),
    ...(input.maxUsd === undefined ? {} : { maxUsd: input.maxUsd }),
    ...(input.maxTokens === undefined ? {} : { maxTokens: input.maxTokens }),
    queue: input.queue,
    clientToken: input.clientToken ?? uuidv7(),
  };
  const started = await client.post(`/api/runs/${origin.id}/fork`, request, RunStarted);
  const id = shortId(started.runId);
  const word = started.queued ? "is queued" : started.created ? "started" : "was already started with this token";
  const text = [
    `Run ${id} ${word}: ${shortId(origin.id)} from ${input.at} on.`,
    `Follow it: devflow run watch ${id}`,
    `Compare them: devflow run compare ${id}`,
  ];
  if (!input.watch || !output.json) output.result(started, text.join("\n"));
  if (!input.watch) return 0;
  const { watchRun } = await import("./watch.ts");
  return await watchRun(client, started.runId, { untilGate: false }, context);
};

async function instructionsOf(given: string | undefined, context: CommandContext): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const path = given === "-" ? "standard input" : resolve(context.cwd, given);
  const text = given === "-" ? await context.readStdin() : await read(path);
  if (text.trim() === "") throw usage(`${path} is empty; a phase needs instructions.`);
  return text;
}

const read = (path: string): Promise<string> =>
  readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw usage(`${path} cannot be read: ${error.code ?? error.message}.`);
  });

const usage = (problem: string): DevflowError =>
  new DevflowError("usage", { details: { problem, next: "See: devflow run fork --help" } });
