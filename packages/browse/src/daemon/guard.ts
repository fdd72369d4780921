/**
 * Kills Chromium after the daemon has died. Chromium normally exits when its pipe closes; the guard handles one that
 * does not. It is a shell that reads from a pipe held only by the daemon, so the read ends however the daemon dies.
 * Before it kills, it compares start times to make sure that the process is the one that was started.
 */
import { type ChildProcess, spawn } from "node:child_process";

/** $1 the leader of Chromium's process group, $2 when it started. */
const script = `read -r _
tries=0
while [ "$tries" -lt 30 ]; do
  [ "$(LC_ALL=C TZ=UTC ps -o lstart= -p "$1" 2>/dev/null)" = "$2" ] || exit 0
  tries=$((tries + 1))
  sleep 0.1
done
kill -9 -- "-$1" 2>/dev/null || kill -9 "$1" 2>/dev/null`;

export interface Guard {
  /** Call this when Chromium has ended normally. */
  dismiss(): void;
}

export async function startGuard(pid: number, env: NodeJS.ProcessEnv): Promise<Guard> {
  const started = await startTimeOf(pid, env);
  const guard: ChildProcess = spawn("/bin/sh", ["-c", script, "devflow-browse-guard", String(pid), started], {
    cwd: "/",
    env,
    // In its own process group, so that a signal to the daemon's group does not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => {});
  guard.stdin?.on("error", () => {});
  guard.unref();
  return { dismiss: () => void guard.kill("SIGKILL") };
}

function startTimeOf(pid: number, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    const ps = spawn("ps", ["-o", "lstart=", "-p", String(pid)], {
      env: { ...env, LC_ALL: "C", TZ: "UTC" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let output = "";
    ps.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    ps.on("error", () => resolve("unknown"));
    // The shell's $(…) strips the newline too.
    ps.on("close", () => resolve(output.replace(/\n+$/, "")));
  });
}
