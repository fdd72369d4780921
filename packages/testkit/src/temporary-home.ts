/**
 * A temporary home for a test file or a test: empty, short enough for Unix sockets, removed afterwards.
 *
 * - `temporaryHome()` at the top of a file it exists until the file ends, inside a test until the test ends.
 * - `temporaryFolder(name)` the same for any folder.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "./at-end.ts";
import { cleanEnvironment } from "./clean-environment.ts";

export interface TemporaryHome {
  /** HOME. */
  readonly path: string;
  /** DEVFLOW_HOME, not created yet. */
  readonly devflowHome: string;
  /** A clean environment with this home. */
  environment(extra?: Readonly<Record<string, string>>): Record<string, string>;
  remove(): void;
}

/** `isKept`: until `remove()`, for a caller that has to end processes in it first; end hooks run in order. */
export function temporaryHome({ isKept = false } = {}): TemporaryHome {
  const path = isKept ? makeTemporaryFolder("df") : temporaryFolder("df");
  const devflowHome = join(path, ".devflow");
  const home: TemporaryHome = {
    path,
    devflowHome,
    environment: (extra) => cleanEnvironment(home, extra),
    remove: () => removeFolder(path),
  };
  return home;
}

export function temporaryFolder(name = "df"): string {
  const path = makeTemporaryFolder(name);
  atEnd(() => removeFolder(path));
  return path;
}

/** For the preload, which has its own end of file. */
export function makeTemporaryFolder(name: string): string {
  return realpathSync(mkdtempSync(join(shortRoot(), `${name}-`)));
}

export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** macOS temp folders have 49 characters and a socket path may have 104; /tmp exists everywhere. */
function shortRoot(): string {
  const given = tmpdir();
  if (given.length <= 20) return given;
  try {
    mkdirSync("/tmp", { recursive: true });
    return "/tmp";
  } catch {
    return given;
  }
}
