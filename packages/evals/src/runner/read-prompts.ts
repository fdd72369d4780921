/**
 * The prompts of a suite, with their files read.
 *
 * - `readPrompts(specs, place)` throws `input_invalid` if a file is missing or two prompts have the same name.
 * - `defaultPrompts(cases)` without prompts in the suite: the case's own `prompt`; for an app, nothing, since it gets the input.
 */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import type { EvalCase, PromptSpec } from "../cases/index.ts";
import type { Prompt } from "./render-prompt.ts";

export interface PromptPlace {
  /** The folder of the project. */
  readonly root: string;
  /** The suite's file. */
  readonly file: string;
}

const maxPromptBytes = 1024 * 1024;

export async function readPrompts(specs: readonly PromptSpec[], place: PromptPlace): Promise<Prompt[]> {
  const prompts: Prompt[] = [];
  for (const [index, spec] of specs.entries()) {
    const name = spec.name ?? (specs.length === 1 ? "" : `prompt ${index + 1}`);
    if (prompts.some((one) => one.name === name)) {
      throw invalid(`Two prompts are named "${name}".`, "Give each prompt its own name.");
    }
    const text = spec.text ?? (spec.file === undefined ? "" : await readPromptFile(spec.file, place));
    const content =
      spec.messages ??
      (spec.system === undefined
        ? text
        : [
            { role: "system" as const, content: spec.system },
            { role: "user" as const, content: text },
          ]);
    prompts.push({ name, content, output: spec.output });
  }
  return prompts;
}

export function defaultPrompts(cases: readonly EvalCase[], areApps: boolean): Prompt[] {
  const isWritten = cases.every(({ input }) => typeof input.prompt === "string");
  if (isWritten) return [{ name: "", content: "{{prompt}}", output: "text" }];
  if (areApps) return [{ name: "", content: "", output: "text" }];
  throw invalid(
    "There is no prompt: the suite has no prompts, and not every case has one of its own.",
    "Add prompts to the suite, or --prompt <file>; see docs/eval-suites.md",
  );
}

async function readPromptFile(given: string, { root, file }: PromptPlace): Promise<string> {
  for (const path of [resolve(root, given), resolve(dirname(resolve(root, file)), given)]) {
    const bytes = await readFile(path).catch(() => undefined);
    if (!bytes) continue;
    if (bytes.length > maxPromptBytes) throw invalid(`${given} is larger than ${maxPromptBytes} bytes.`, "Shorten it.");
    return bytes.toString("utf8").replaceAll("\r\n", "\n").replace(/\n$/, "");
  }
  throw new DevflowError("not_found", { details: { what: `The prompt ${given}`, next: "See docs/eval-suites.md" } });
}

const invalid = (problem: string, next: string): DevflowError =>
  new DevflowError("input_invalid", { details: { problem, next } });
