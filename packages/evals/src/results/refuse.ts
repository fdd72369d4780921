/** The error for a file that cannot be imported: what is wrong with it, and what to do next. */
import { DevflowError } from "@devflow/core/errors";

export function refuse(problem: string, next: string, cause?: unknown): DevflowError {
  return new DevflowError("input_invalid", { details: { problem, next }, ...(cause === undefined ? {} : { cause }) });
}

export const askLenient = "To store what can be read and list the rest: devflow eval push --lenient <file>";
