/** Programs of this machine: their versions, and how to get them. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export async function versionOf(path: string, args: readonly string[], pattern: RegExp): Promise<string | undefined> {
  const { stdout } = await run(path, [...args], { timeout: 5_000 }).catch(() => ({ stdout: "" }));
  return pattern.exec(stdout)?.[1];
}

export function installCommand(name: string): string {
  if (process.platform === "darwin")
    return name === "chromium" ? "brew install --cask chromium" : `brew install ${name}`;
  return `apt-get install ${name}   (or: dnf install ${name})`;
}
