/**
 * Compares versions by the rules of semantic versioning: `1.0.0-beta.2` before `1.0.0-beta.11` before `1.0.0`. Versions
 * printed by other programs are accepted: `2.39` is `2.39.0`. A text without a version is older than every version.
 *
 * - `compareVersions(a, b)` -1, 0 or 1, for `sort`.
 * - `isAtLeast(found, needed)`.
 *
 * Loads the semver package; code that must start fast imports this module only when two versions differ.
 */
import coerce from "semver/functions/coerce.js";
import compare from "semver/functions/compare.js";
import parse from "semver/functions/parse.js";

const oldest = "0.0.0-0";

export function compareVersions(a: string, b: string): -1 | 0 | 1 {
  return compare(read(a), read(b));
}

export const isAtLeast = (found: string, needed: string): boolean => compareVersions(found, needed) >= 0;

const read = (text: string) => parse(text) ?? coerce(text) ?? oldest;
