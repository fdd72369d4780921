/**
 * The web app, built by Vite into apps/web/dist.
 *
 * - `webAppIsBuilt(root)` true when dist was built from the current sources (or there are no sources).
 * - `buildWebApp(root, again)` builds in another folder and swaps, so that an interrupted build leaves the old one.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { problemOfOutput, SetupProblem } from "./problem.mjs";
import { CommandFailed, run } from "./run.mjs";

const stampOf = (/** @type {string} */ root) => join(root, ".cache", "web-app.sha256");
const distOf = (/** @type {string} */ root) => join(root, "apps", "web", "dist");

/** @param {string} root */
export function webAppIsBuilt(root) {
  if (!existsSync(join(root, "apps", "web", "index.html"))) return true;
  if (!existsSync(join(distOf(root), "index.html")) || !existsSync(stampOf(root))) return false;
  return readFileSync(stampOf(root), "utf8") === hashOfSources(root);
}

/** @param {string} root @param {string} again */
export async function buildWebApp(root, again) {
  const hash = hashOfSources(root);
  const fresh = join(root, ".cache", `web-app-${process.pid}`);
  const vite = join(root, "node_modules", "vite", "bin", "vite.js");
  mkdirSync(join(root, ".cache"), { recursive: true });
  rmSync(stampOf(root), { force: true });
  try {
    const words = [vite, "build", "--outDir", fresh, "--emptyOutDir", "--logLevel", "warn"];
    const env = { ...process.env, NODE_ENV: "production" };
    await run(process.execPath, words, { cwd: join(root, "apps", "web"), env });
    rmSync(distOf(root), { recursive: true, force: true });
    renameSync(fresh, distOf(root));
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    throw problemOfOutput("Vite", error.output, again) ?? buildFailed(error);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  writeFileSync(stampOf(root), hash);
}

/** Everything that goes into the bundle: the app, the contracts it imports, and the versions of its libraries. */
function hashOfSources(/** @type {string} */ root) {
  const hash = createHash("sha256");
  const add = (/** @type {string} */ path) => hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  for (const folder of ["apps/web", "packages/protocol"]) for (const path of filesIn(root, folder)) add(path);
  add("package-lock.json");
  return hash.digest("hex");
}

/** @param {string} root @param {string} folder @returns {string[]} */
function filesIn(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !["node_modules", "dist", "tests"].includes(name) && !/\.test\.tsx?$/.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((one) => {
      const path = `${folder}/${one.name}`;
      return one.isDirectory() ? filesIn(root, path) : one.isFile() ? [path] : [];
    });
}

function buildFailed(/** @type {CommandFailed} */ error) {
  const last = error.output.trim().split("\n").slice(-30).join("\n");
  return new SetupProblem(`The web app could not be built:\n${last}`, "See the error: npm run build -w @devflow/web");
}
