/**
 * What `devflow doctor` and `devflow hooks status` know about hooks that ran.
 *
 * - `logHookFault(home, fault)` one line in `log/hooks.log`; never fails. At 1 MB the file becomes `hooks.log.1`.
 * - `markFired(home, host, moment)`, `lastFired(home, host)` when a host last called us.
 * - `forgetSelfTest(home, host)`, `hasSelfTested(home, host)` whether a self-test arrived since.
 * - `hookFaults(home, sinceMs)` the newest faults.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Home } from "@devflow/core/home";

export interface HookFault {
  readonly at: string;
  readonly host: string;
  readonly moment: string;
  readonly problem: string;
}

const maxBytes = 1_000_000;
const maxProblem = 500;

export function logHookFault({ hooksLog }: Home, fault: Omit<HookFault, "at">): void {
  const line = { at: new Date().toISOString(), ...fault, problem: fault.problem.slice(0, maxProblem) };
  try {
    mkdirSync(dirname(hooksLog), { recursive: true, mode: 0o700 });
    if ((statSync(hooksLog, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(hooksLog, `${hooksLog}.1`);
    appendFileSync(hooksLog, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch {
    // A full disk keeps no log, and the agent must not notice.
  }
}

export function hookFaults({ hooksLog }: Home, sinceMs: number): HookFault[] {
  const lines = (textIn(hooksLog) ?? "").split("\n").filter(Boolean).slice(-200);
  return lines
    .flatMap((line): HookFault | [] => {
      try {
        const { at, host, moment, problem } = JSON.parse(line) as HookFault;
        return { at, host, moment, problem };
      } catch {
        return [];
      }
    })
    .filter(({ at }) => Date.parse(at) >= sinceMs);
}

const firedFolder = ({ hooksFolder }: Home): string => join(hooksFolder, "fired");

export function markFired(home: Home, host: string, moment: string): void {
  const file = join(firedFolder(home), `${host}.${moment}`);
  try {
    writeFileSync(file, "", { mode: 0o600 });
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") return;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, "", { mode: 0o600 });
    } catch {
      // As above.
    }
  }
}

/** Without the self-test: that proves only that the command can be run. */
export function lastFired(home: Home, host: string): { readonly moment: string; readonly atMs: number } | undefined {
  let names: string[];
  try {
    names = readdirSync(firedFolder(home));
  } catch {
    return undefined;
  }
  const found = names.flatMap((name) => {
    const [own, moment = ""] = name.split(".");
    const atMs = statSync(join(firedFolder(home), name), { throwIfNoEntry: false })?.mtimeMs;
    return own === host && moment !== "self-test" && atMs !== undefined ? [{ moment, atMs }] : [];
  });
  return found.sort((a, b) => b.atMs - a.atMs)[0];
}

/** Times of files are too coarse to tell two self-tests apart. */
export function forgetSelfTest(home: Home, host: string): void {
  rmSync(join(firedFolder(home), `${host}.self-test`), { force: true });
}

export function hasSelfTested(home: Home, host: string): boolean {
  return existsSync(join(firedFolder(home), `${host}.self-test`));
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
