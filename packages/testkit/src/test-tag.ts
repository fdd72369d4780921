/**
 * The mark in the environment of every child of a test file, so that leftover processes can be found.
 *
 * - `testTag()` this file's mark, created on first use: `<mark of the starting process>/<id>`, so a run finds its files' children.
 * - `tagged(environment)` the same environment with the mark.
 */
import { randomUUID } from "node:crypto";

export const testTagVariable = "DEVFLOW_TEST_TAG";

let own: string | undefined;

export function testTag(): string {
  if (own === undefined) {
    const outer = process.env[testTagVariable];
    own = outer ? `${outer}/${randomUUID()}` : randomUUID();
    process.env[testTagVariable] = own;
  }
  return own;
}

export function tagged(environment: Readonly<Record<string, string>>): Record<string, string> {
  return { ...environment, [testTagVariable]: testTag() };
}
