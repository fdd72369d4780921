import { readFile } from "node:fs/promises";
import { DevflowError, errorReport } from "@devflow/core/errors";
import type { Answer, DaemonScope } from "../../command.ts";
import { splitWords } from "./split-words.ts";

const maxSteps = 1_000;

export async function chain({ steps, goOn }: { steps: string[]; goOn: boolean }, scope: DaemonScope): Promise<Answer> {
  return await runSteps(steps.flatMap(parseSteps), goOn, scope);
}

export async function batch({ file, goOn }: { file: string; goOn: boolean }, scope: DaemonScope): Promise<Answer> {
  // Text from standard input has newlines or brackets; a path has neither.
  const text = /[\n[]/.test(file) ? file : await readFile(await scope.files.forReading(file), "utf8");
  return await runSteps(parseSteps(text), goOn, scope);
}

export function parseSteps(text: string): string[][] {
  if (/^\s*\[\s*\[/.test(text)) {
    const parsed: unknown = JSON.parse(text);
    return (parsed as unknown[]).map((step) => (step as unknown[]).map(String));
  }
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map(splitWords);
}

interface StepResult {
  readonly command: string;
  readonly ok: boolean;
  readonly data?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string };
}

async function runSteps(steps: readonly string[][], goOn: boolean, { daemon, signal }: DaemonScope): Promise<Answer> {
  if (steps.length === 0) throw usage("There are no commands to run.");
  if (steps.length > maxSteps) throw usage(`A chain has at most ${maxSteps} commands.`);
  const results: StepResult[] = [];
  const texts: string[] = [];
  let fromPage = false;
  let failedWith: number | undefined;
  for (const [index, words] of steps.entries()) {
    signal.throwIfAborted();
    const command = daemon.describeStep(words);
    try {
      const answer = await daemon.runStep(words);
      fromPage ||= answer.fromPage === true;
      results.push({ command, ok: true, data: answer.data });
      // A receipt says itself what was done.
      const isReceipt = typeof (answer.data as { did?: unknown } | undefined)?.did === "string";
      texts.push(...(isReceipt ? [`${index + 1} ${answer.text}`] : [`${index + 1} ${short(command)}`, answer.text]));
    } catch (error) {
      const { code, message, exit, ...report } = errorReport(error);
      const hint = inChain(report.hint);
      failedWith ??= exit;
      results.push({ command, ok: false, error: { code, message, hint } });
      texts.push(`${index + 1} ${short(command)}`, `FAILED: ${message}`, hint);
      // Error messages may quote the page.
      fromPage = true;
      if (!goOn) break;
    }
  }
  const done = results.filter(({ ok }) => ok).length;
  if (done < steps.length) texts.push(`${done} of ${steps.length} commands ran.`);
  return {
    text: texts.filter((text) => text !== "").join("\n"),
    data: { ok: done === steps.length, steps: results },
    fromPage,
    ...(failedWith === undefined ? {} : { exit: failedWith }),
  };
}

/** A chain has commands, not command lines: `help` is one. */
const inChain = (hint: string): string =>
  hint.replace(/^See: devflow browse (.+) --help$/, "See: devflow browse help $1");

const short = (command: string): string => (command.length > 100 ? `${command.slice(0, 100)}…` : command);

function usage(problem: string): DevflowError {
  return new DevflowError("usage", { details: { problem, next: "See: devflow browse chain --help" } });
}
