/**
 * Ends Chromium when the daemon is no more. Chromium ends by itself when its pipe closes; the guard is for the one that
 * does not. It is a shell that reads from a pipe which only the daemon holds: when the daemon dies, however it dies,
 * the read ends. Before it kills, the process has to prove that it is the one that was started.
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
  /** Chromium has ended in order. */
  dismiss(): void;
}

export async function startGuard(pid: number, env: NodeJS.ProcessEnv): Promise<Guard> {
  const started = await startTimeOf(pid, env);
  const guard: ChildProcess = spawn("/bin/sh", ["-c", script, "devflow-browse-guard", String(pid), started], {
    cwd: "/",
    env,
    // Of its own group, so that what is aimed at the daemon's group does not hit it.
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
    let said = "";
    ps.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    ps.on("error", () => resolve("unknown"));
    // The shell takes the line's end off as well.
    ps.on("close", () => resolve(said.replace(/\n+$/, "")));
  });
}
