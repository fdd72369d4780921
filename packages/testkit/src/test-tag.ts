/**
 * The mark that every child of a test file carries in its environment, so that what stays behind can be found again.
 *
 * - `testTag()` this file's mark, made on first use: `<mark of whoever started us>/<id>`, so a run finds its files' children.
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
