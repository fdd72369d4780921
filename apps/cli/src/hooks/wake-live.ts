/**
 * Starts a drainer that stays while agents are at work, unless one is there.
 *
 * - `wakeLiveDrainer(home, env)` does not wait for it.
 * - `wokenMark(home)` touched when one is started, and by it with every turn.
 */
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "@devflow/core/environment";
import type { Home } from "@devflow/core/home";
import { selfArgv } from "../server/self.ts";

/** One that is at work says so more often than this. */
const wakeEveryMs = 10_000;

export const wokenMark = ({ hooksFolder }: Pick<Home, "hooksFolder">): string => join(hooksFolder, "woken");

export async function wakeLiveDrainer(home: Home, env: Environment): Promise<void> {
  const mark = wokenMark(home);
  const last = statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Date.now() - last < wakeEveryMs) return;
  mkdirSync(dirname(mark), { recursive: true, mode: 0o700 });
  writeFileSync(mark, "", { mode: 0o600 });
  const { spawn } = await import("node:child_process");
  const [program = "", ...words] = [...selfArgv(), "drainer", "--live"];
  const options = {
    cwd: home.root,
    env: { ...env, DEVFLOW_HOME: home.root },
    detached: true,
    stdio: "ignore",
  } as const;
  const child = spawn(program, words, options);
  // Without a drainer the records stay, and the next one finds them.
  child.on("error", () => {});
  child.unref();
}
