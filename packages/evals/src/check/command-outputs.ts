/**
 * Produces outputs by running a command for each case.
 *
 * - `runForCase(case, command, context)` runs it once; twice for an A/B case, each time with its own variables; once per step
 *   for a tier chain, with the files that the step names.
 *
 * The command reads `{ name, category, tags, input, repeat, variant, tier, model, previous }` from its standard input and
 * prints its output as JSON.
 */
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { EvalCase } from "../cases/index.ts";
import { runCommand } from "../run-command.ts";
import { asCaseOutput, type CaseOutput, type CaseOutputs } from "./case-output.ts";

export interface OutputCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly timeoutMs: number;
  /** The command's environment; see `inheritedEnvironment` of core. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface CommandContext {
  readonly repeat: number;
  readonly tier: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProcess?: ((pid: number | undefined) => void) | undefined;
}

const maxFileBytes = 16 * 1024 * 1024;

export async function runForCase(
  given: EvalCase,
  command: OutputCommand,
  context: CommandContext,
): Promise<CaseOutputs> {
  if (given.comparison) {
    const { control, treatment } = given.comparison;
    return {
      kind: "ab",
      control: await runOnce(given, command, context, { variant: "control" }, control.env),
      treatment: await runOnce(given, command, context, { variant: "treatment" }, treatment.env),
    };
  }
  if (!given.tierChain) return { kind: "one", one: await runOnce(given, command, context, {}, {}) };
  const folder = await mkdtemp(join(tmpdir(), "devflow-chain-"));
  try {
    return { kind: "chain", steps: await runChain(given, command, context, folder) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runChain(
  given: EvalCase,
  command: OutputCommand,
  context: CommandContext,
  folder: string,
): Promise<CaseOutput[]> {
  const steps: CaseOutput[] = [];
  for (const { tier, model, output_file, input_from } of given.tierChain ?? []) {
    const written = output_file === undefined ? undefined : join(folder, output_file);
    if (written) await mkdir(dirname(written), { recursive: true });
    const variables = {
      EVAL_TIER: tier,
      ...(model === undefined ? {} : { EVAL_MODEL: model }),
      ...(written === undefined ? {} : { EVAL_OUTPUT_FILE: written }),
      ...(input_from === undefined ? {} : { EVAL_INPUT_FILE: join(folder, input_from) }),
    };
    const previous = steps.at(-1)?.output;
    const facts = { tier, ...(model === undefined ? {} : { model }), ...(previous === undefined ? {} : { previous }) };
    const step = await runOnce(given, command, context, facts, variables, written);
    steps.push(step);
    // Steps after a failed one would have no input.
    if (step.error !== undefined) return steps;
    if (written && !(await exists(written))) await writeFile(written, JSON.stringify(step.output ?? null));
  }
  return steps;
}

async function runOnce(
  { name, category, tags, input }: EvalCase,
  { argv, cwd, timeoutMs, env }: OutputCommand,
  { repeat, tier, signal, onProcess }: CommandContext,
  facts: Readonly<Record<string, unknown>>,
  variables: Readonly<Record<string, string>>,
  written?: string,
): Promise<CaseOutput> {
  const stdin = JSON.stringify({ name, category: category ?? null, tags, input, repeat, tier, ...facts });
  const result = await runCommand(argv, { cwd, env: { ...env, ...variables }, stdin, timeoutMs, signal, onProcess });
  const { durationMs } = result;
  if ("problem" in result) return { output: null, error: `the command gave no output: ${result.problem}`, durationMs };
  const isSilent = result.stdout.trim() === "" && written !== undefined && (await exists(written));
  const text = isSilent ? await readFile(written, "utf8") : result.stdout;
  try {
    const output = asCaseOutput(JSON.parse(text));
    return { ...output, durationMs: output.durationMs ?? durationMs };
  } catch {
    const shown = text.trim().slice(0, 200);
    return { output: null, error: `the command did not print valid JSON${shown ? `: ${shown}` : ""}`, durationMs };
  }
}

async function exists(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  return facts?.isFile() === true && facts.size <= maxFileBytes;
}
