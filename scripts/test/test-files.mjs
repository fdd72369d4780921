/**
 * The test files on disk, which must all appear in the report, so that no file can be forgotten or empty.
 *
 * - `findTestFiles(root)` every `*.test.ts` and `*.test.tsx` of the project, sorted, relative to it.
 * - `selectTestFiles(files, paths)` those under the given files or folders; every path must match something.
 */
import { existsSync, readdirSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";

const folders = ["apps", "packages", "scripts", "bench", "tests"];
const skipped = new Set(["node_modules", "dist", "fixtures", ".cache"]);

/** @param {string} root */
export function findTestFiles(root) {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => filesIn(root, folder))
    .sort();
}

/** @param {string} root @param {string} folder @returns {string[]} */
function filesIn(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((one) => {
    const path = `${folder}/${one.name}`;
    if (one.isDirectory()) return skipped.has(one.name) ? [] : filesIn(root, path);
    return /\.test\.tsx?$/.test(one.name) ? [path] : [];
  });
}

/**
 * @param {readonly string[]} files
 * @param {readonly string[]} paths
 * @param {string} root
 * @returns {{ files: string[], unmatched: string[] }}
 */
export function selectTestFiles(files, paths, root) {
  if (paths.length === 0) return { files: [...files], unmatched: [] };
  const wanted = paths.map((path) => (isAbsolute(path) ? relative(root, path) : path.replace(/^\.\//, "")));
  const matches = (/** @type {string} */ file, /** @type {string} */ path) =>
    path.includes("/") ? file.startsWith(path.replace(/\/$/, "")) : file.includes(path);
  return {
    files: files.filter((file) => wanted.some((path) => matches(file, path))),
    unmatched: wanted.filter((path) => !files.some((file) => matches(file, path))),
  };
}
