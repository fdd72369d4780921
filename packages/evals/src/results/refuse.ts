/** The two sentences an import ends with when a file cannot be read: what is wrong with which file, and what to type next. */
import { DevflowError } from "@devflow/core/errors";

export function refuse(problem: string, next: string, cause?: unknown): DevflowError {
  return new DevflowError("input_invalid", { details: { problem, next }, ...(cause === undefined ? {} : { cause }) });
}

export const askLenient = "Store what can be read and list the rest: devflow eval push --lenient <file>";
