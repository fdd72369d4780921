/** The time from starting a program until it exits, in milliseconds. */
export function timeProcess(command: readonly string[]): number {
  const started = Bun.nanoseconds();
  const { exitCode, stderr } = Bun.spawnSync([...command], {
    cwd: "/",
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const ms = (Bun.nanoseconds() - started) / 1e6;
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stderr}`);
  return ms;
}
