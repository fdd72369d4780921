/** The running build of Devflow; an idle daemon of an older build is replaced. */
import { statSync } from "node:fs";
import type { Build } from "@devflow/browse/quick-client";
import { version } from "@devflow/core/version";

export function thisBuild(): Build {
  const executable = Bun.main.startsWith("/$bunfs/") ? process.execPath : Bun.main;
  return { version, executable, executableTime: statSync(executable, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
}
