/** Runs a tool from node_modules; returns its output if it failed, otherwise nothing. */
import { join } from "node:path";

export async function runTool(root: string, name: string, args: readonly string[]): Promise<string> {
  const child = Bun.spawn([join(root, "node_modules", ".bin", name), ...args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return code === 0 ? "" : `${stdout}${stderr}`.trim() || `${name} ended with ${code}`;
}
