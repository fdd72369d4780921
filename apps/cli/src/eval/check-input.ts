/**
 * What the words of `eval check` mean. Pure.
 *
 * - `asksItself(input)` whether providers are asked; `refuseForSuites(input)` options that a promptfoo suite does not take.
 * - `tierOf(input, context)`, `workersOf(input, context)` from the options, else from the environment.
 */
import type { CommandContext, InputOf } from "@devflow/core/command";
import { environmentOf } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { type EvalTier, evalTiers } from "@devflow/protocol/eval-enums";
import type { evalCheckRecord } from "./check-commands.ts";

export type CheckInput = InputOf<typeof evalCheckRecord>;

export const isOn = (value: string | undefined): boolean => value !== undefined && value !== "" && value !== "0";

/** Whether providers are asked. Options that make sense only then are refused otherwise. */
export function asksItself({ run, provider, prompt, maxUsd, until, against, fresh, command }: CheckInput): boolean {
  if (run || provider.length > 0) {
    if (command && command.length > 0) throw usage("--run asks providers; to run a command for each case, omit it.");
    return true;
  }
  const given = { "--prompt": prompt.length > 0, "--max-usd": maxUsd !== undefined, "--until": until !== undefined };
  const more = { "--against": against !== undefined, "--fresh": fresh };
  const [alone] = Object.entries({ ...given, ...more }).filter(([, isGiven]) => isGiven);
  if (alone) throw usage(`${alone[0]} needs --run, or a --provider.`);
  return false;
}

/** A promptfoo suite says itself what is asked. */
export function refuseForSuites({ prompt, maxUsd, until, against }: CheckInput): void {
  const given = { "--prompt": prompt.length > 0, "--max-usd": maxUsd, "--until": until, "--against": against };
  const [found] = Object.entries(given).filter(([, value]) => value);
  if (found) throw usage(`${found[0]} cannot be used with a promptfoo suite.`);
}

export function usage(problem: string): DevflowError {
  return new DevflowError("usage", { details: { problem, next: "See the usage: devflow eval check --help" } });
}

export function tierOf({ tier }: Pick<CheckInput, "tier">, context: CommandContext): EvalTier {
  return tier ?? tierNamed(environmentOf(context.env).EVAL_TIER);
}

function tierNamed(word: string | undefined): EvalTier {
  if (!word) return "standard";
  const tier = evalTiers.find((one) => one === word.trim().toLowerCase());
  if (tier) return tier;
  throw new DevflowError("input_invalid", {
    details: { problem: `EVAL_TIER is "${word}", which is not a tier.`, next: `Use one of: ${evalTiers.join(", ")}` },
  });
}

export function workersOf({ workers }: Pick<CheckInput, "workers">, context: CommandContext): number {
  const word = environmentOf(context.env).EVAL_WORKERS;
  if (workers !== undefined || !word) return workers ?? 1;
  const count = Number(word);
  if (Number.isInteger(count) && count >= 1 && count <= 256) return count;
  throw new DevflowError("input_invalid", {
    details: {
      problem: `EVAL_WORKERS is "${word}", which is out of range.`,
      next: "Use a whole number from 1 to 256.",
    },
  });
}
