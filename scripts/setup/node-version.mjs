/** Checks that the running Node is new enough. */
import { SetupProblem } from "./problem.mjs";

const needed = /** @type {const} */ ([20, 19]);

/** @param {string} version as in `process.versions.node` */
export function checkNodeVersion(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) return;
  throw new SetupProblem(
    `Devflow needs Node ${needed.join(".")} or newer for its setup; this is Node ${version}.`,
    "Install a newer one from https://nodejs.org, or: nvm install 22 && nvm use 22",
  );
}
