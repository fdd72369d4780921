/**
 * Whether this machine can confine an agent, before one is started.
 *
 * - `requireSandbox(env)` throws `sandbox_unavailable` with what to install. It starts an empty sandbox once: a kernel may
 *   forbid what bubblewrap needs.
 * - `findBwrap(path)` the program on the search path.
 */
import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { DevflowError } from "@devflow/core/errors";

type Env = Readonly<Record<string, string | undefined>>;

const install = "Install bubblewrap: apt-get install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap";

export async function requireSandbox(env: Env, platform: NodeJS.Platform = process.platform): Promise<void> {
  if (platform === "darwin") return;
  const bwrap = findBwrap(env.PATH ?? "");
  if (bwrap === undefined) throw unavailable("bubblewrap (bwrap) is not installed", install);
  const words = [
    "--unshare-all",
    "--die-with-parent",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "true",
  ];
  const problem = await new Promise<string | undefined>((resolve) => {
    execFile(bwrap, words, { env: { PATH: env.PATH ?? "" }, timeout: 10_000 }, (error, _out, said) =>
      resolve(error ? said.trim() || error.message : undefined),
    );
  });
  if (problem !== undefined)
    throw unavailable(
      `bubblewrap does not work here: ${problem}`,
      "Allow unprivileged user namespaces on this machine",
    );
}

export function findBwrap(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, "bwrap"))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

const unavailable = (reason: string, next: string): DevflowError =>
  new DevflowError("sandbox_unavailable", {
    details: { reason, next: `${next}; or work without it: devflow config set sandbox false` },
  });
