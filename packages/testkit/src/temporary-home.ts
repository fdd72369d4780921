/**
 * A home of its own for a test file or a test: nothing in it, short enough for Unix sockets, gone afterwards.
 *
 * - `temporaryHome()` called at the top of a file it lives as long as the file, called inside a test as long as the test.
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
  /** DEVFLOW_HOME, not yet made. */
  readonly devflowHome: string;
  /** A clean environment that lives here. */
  environment(extra?: Readonly<Record<string, string>>): Record<string, string>;
  remove(): void;
}

/** `isKept`: until `remove()`, for whoever has processes in it to end first; what is at the end runs in order. */
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

/** macOS hands out temp folders of 49 characters and a socket's path may have 104; /tmp is everywhere. */
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
