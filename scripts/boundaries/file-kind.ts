/**
 * What a path reveals about a file.
 *
 * - `unitPathOf(path)` the app or package it belongs to.
 * - `isTest(path)` a test, or support for tests of its unit. `isTestCode(path)` also benchmarks, end-to-end tests and the testkit.
 */
export function unitPathOf(path: string): string | undefined {
  return /^(?:apps|packages)\/[^/]+/.exec(path)?.[0];
}

/** `*.test.ts`, and folders called test, tests, testing or fixtures. */
export function isTest(path: string): boolean {
  return /\.test\.[jt]sx?$/.test(path) || /\/(?:tests?|testing|fixtures)\//.test(path);
}

export function isTestCode(path: string): boolean {
  return isTest(path) || /^(?:tests|bench|packages\/testkit)\//.test(path);
}
