/**
 * The built app, as it ships. The set-up that begins every `npm test` has built it; this is a copy per state of the
 * sources, so that a set-up beside the tests, which swaps the folder, takes no file away from them.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const built = join(import.meta.dirname, "../dist");
const cache = join(import.meta.dirname, "../../../.cache");

export function builtWeb(): string {
  const stamp = join(cache, "web-app.sha256");
  if (!existsSync(stamp)) throw new Error("The web app is not built; run: npm run setup");
  const folder = join(cache, "web", readFileSync(stamp, "utf8").slice(0, 16));
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(join(cache, "web"), { recursive: true });
  removeOldCopies();
  cpSync(built, unfinished, { recursive: true });
  try {
    renameSync(unfinished, folder);
  } catch (fault) {
    if (!existsSync(folder)) throw fault;
    rmSync(unfinished, { recursive: true }); // another test file was faster
  }
  return folder;
}

/** A day is longer than any test run that may still read one. */
function removeOldCopies(): void {
  for (const name of readdirSync(join(cache, "web"))) {
    const path = join(cache, "web", name);
    const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - madeAt > 86_400_000) rmSync(path, { recursive: true, force: true });
  }
}
