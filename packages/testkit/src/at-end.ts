/**
 * Work for when the test, or the test file, that is running now has ended.
 *
 * - `atEnd(work)` inside a test: after the test; at the top of a file: after the file; in a benchmark, which has no such
 *   ends: never, so what is made there is also ended there.
 */
import { afterAll } from "bun:test";

export function atEnd(work: () => void | Promise<void>): void {
  try {
    afterAll(work);
  } catch (error) {
    if (!String(error).includes("outside of the test runner")) throw error;
  }
}
