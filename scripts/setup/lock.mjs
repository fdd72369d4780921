/**
 * One setup at a time in a clone: `npm start` and `npm test` must not install at the same time.
 *
 * - `withSetupLock(root, onWait, work)` waits for a living holder, takes over from a dead one.
 */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @template T
 * @param {string} root
 * @param {() => void} onWait called once when another setup is running
 * @param {() => Promise<T>} work
 */
export async function withSetupLock(root, onWait, work) {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const path = join(root, ".cache", "setup.lock");
  let waited = false;
  while (!take(path)) {
    if (!isAlive(readHolder(path))) {
      rmSync(path, { force: true });
      continue;
    }
    if (!waited) onWait();
    waited = true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const release = () => rmSync(path, { force: true });
  process.once("exit", release);
  try {
    return await work();
  } finally {
    release();
    process.removeListener("exit", release);
  }
}

/** The file appears together with its content, so a reader always sees its owner. */
function take(/** @type {string} */ path) {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (/** @type {{ code?: string }} */ (error).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function readHolder(/** @type {string} */ path) {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch {
    return 0;
  }
}

function isAlive(/** @type {number} */ pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {{ code?: string }} */ (error).code === "EPERM";
  }
}
