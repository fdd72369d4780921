/**
 * Work for the end of the current test or test file.
 *
 * - `atEnd(work)` inside a test: after the test; at the top of a file: after the file; in a benchmark, which has neither:
 *   never, so what is created there must be ended there.
 */
import { afterAll } from "bun:test";

export function atEnd(work: () => void | Promise<void>): void {
  try {
    afterAll(work);
  } catch (error) {
    if (!String(error).includes("outside of the test runner")) throw error;
  }
}
