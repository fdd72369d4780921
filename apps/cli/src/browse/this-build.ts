/** The running build of Devflow; an idle daemon of an older build is replaced. */
import { statSync } from "node:fs";
import type { Build } from "@devflow/browse/client";
import { version } from "@devflow/core/version";
import { thisExecutable } from "./this-executable.ts";

export function thisBuild(): Build {
  const executable = thisExecutable();
  return { version, executable, executableTime: statSync(executable, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
}
