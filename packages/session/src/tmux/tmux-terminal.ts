/**
 * A terminal for one agent: a tmux server of its own, with one session and one pane.
 *
 * - `start` runs a command in it. The environment goes by standard input, so no value is in an argument or on disk, and
 *   the server itself gets only what tmux needs.
 * - `pane` what tmux knows about the pane; undefined when there is no such session.
 * - `screen` what is visible; `paste` inserts a text as a bracketed paste; `press` sends keys.
 * - `lastTyped` when an attached person last pressed a key.
 * - `end` ends the agent with everything it started, and the server.
 */
import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { killGroup } from "../holder/agent-file.ts";

export interface Pane {
  readonly pid: number;
  readonly isDead: boolean;
  /** How it ended, in words. */
  readonly exit: string;
  /** Somebody looks at the history; keys do not reach the agent. */
  readonly isInMode: boolean;
  readonly cursor: { readonly x: number; readonly y: number };
}

export interface TmuxTerminal {
  readonly socket: string;
  readonly session: string;
  start(options: StartOptions): Promise<void>;
  pane(): Promise<Pane | undefined>;
  screen(): Promise<string[]>;
  paste(text: string): Promise<void>;
  press(...keys: string[]): Promise<void>;
  leaveMode(): Promise<void>;
  lastTyped(): Promise<Date | undefined>;
  end(): Promise<void>;
}

interface StartOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Everything that the pane receives, as it comes; the first 20 MB. */
  readonly log: string;
}

const size = { columns: "200", rows: "50" };
const logLimit = 20_000_000;
/**
 * What the server needs itself: the first client's environment becomes that of every later session. The last one is the
 * mark by which tests find what was left running.
 */
const serverVariables = ["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "SHELL", "USER", "DEVFLOW_TEST_TAG"];
/** An agent needs a moment to store its session. */
const graceMs = 2_000;

export function tmuxTerminal(
  socket: string,
  session: string,
  environment: Readonly<Record<string, string>>,
): TmuxTerminal {
  const env = serverEnvironment(environment);
  const tmux = (words: readonly string[], input = "") =>
    run(["tmux", "-S", socket, "-f", "/dev/null", ...words], env, input);
  const target = `=${session}:`;

  const pane = async (): Promise<Pane | undefined> => {
    const fields = ["pane_pid", "pane_dead", "pane_dead_status", "pane_dead_signal", "pane_in_mode", "cursor_x"];
    const format = [...fields, "cursor_y"].map((field) => `#{${field}}`).join(",");
    const { code, stdout } = await tmux(["list-panes", "-t", target, "-F", format]);
    if (code !== 0) return undefined;
    const [pid, dead, status, signal, mode, x, y] = stdout.trim().split(",");
    const exit = signal ? `was ended by signal ${signal}` : `exited with code ${status}`;
    const cursor = { x: Number(x), y: Number(y) };
    return { pid: Number(pid), isDead: dead === "1", exit, isInMode: Number(mode) > 0, cursor };
  };

  return {
    socket,
    session,
    pane,

    async start({ command, cwd, env: variables, log }) {
      writeFileSync(log, "", { mode: 0o600, flag: "a" });
      const lines = [
        // The agent's exit status stays readable after its end.
        "set -g remain-on-exit on",
        "set -g history-limit 20000",
        "set -g default-terminal screen-256color",
        "set -g focus-events on",
        "set -s escape-time 10",
        "set -s set-clipboard off",
        "set -g status-right ''",
        "set -g status-left-length 80",
        `set -g status-left ${quoted(` ${session} · leave with C-b d `)}`,
        "set -g window-status-format ''",
        "set -g window-status-current-format ''",
        [
          `new-session -d -s ${quoted(session)} -x ${size.columns} -y ${size.rows} -c ${quoted(cwd)}`,
          ...Object.entries(variables).map(([name, value]) => `-e ${quoted(`${name}=${value}`)}`),
          ...command.map(quoted),
        ].join(" "),
        `pipe-pane -O -t ${quoted(target)} ${quoted(`exec head -c ${logLimit} >> '${log.replaceAll("'", "'\\''")}'`)}`,
      ];
      const { code, stderr } = await tmux(["start-server", ";", "source-file", "-"], `${lines.join("\n")}\n`);
      if (code !== 0 || !(await pane())) throw new Error(`tmux did not start: ${stderr.trim() || `code ${code}`}`);
    },

    async screen() {
      const { stdout } = await tmux(["capture-pane", "-p", "-t", target]);
      return stdout.split("\n");
    },

    async paste(text) {
      await expectDone(tmux(["load-buffer", "-b", "devflow", "-"], text));
      await expectDone(tmux(["paste-buffer", "-p", "-d", "-b", "devflow", "-t", target]));
    },

    press: (...keys) => expectDone(tmux(["send-keys", "-t", target, ...keys])),
    leaveMode: () => expectDone(tmux(["send-keys", "-t", target, "-X", "cancel"])),

    async lastTyped() {
      const { stdout } = await tmux(["list-clients", "-t", `=${session}`, "-F", "#{client_activity}"]);
      const seconds = stdout.split("\n").filter(Boolean).map(Number);
      return seconds.length === 0 ? undefined : new Date(Math.max(...seconds) * 1000);
    },

    async end() {
      const { stdout } = await tmux(["list-panes", "-a", "-F", "#{pane_pid} #{pane_dead}"]);
      const living = stdout.split("\n").filter((line) => line.endsWith(" 0"));
      for (const line of living) await endGroup(Number.parseInt(line, 10));
      await tmux(["kill-server"]);
      rmSync(socket, { force: true });
    },
  };
}

function serverEnvironment(given: Readonly<Record<string, string>>): Record<string, string> {
  const env: Record<string, string> = { TERM: "xterm-256color" };
  for (const name of serverVariables) if (given[name] !== undefined) env[name] = given[name];
  // Without it tmux turns everything that is not ASCII into underscores.
  if (!/utf-?8/i.test(env.LC_ALL ?? env.LC_CTYPE ?? env.LANG ?? "")) env.LC_ALL = "C.UTF-8";
  return env;
}

/** The pane's process leads a group; a wrapper's own child is in it. */
async function endGroup(pid: number): Promise<void> {
  killGroup(pid, "SIGTERM");
  const deadline = Date.now() + graceMs;
  while (isAlive(pid) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  killGroup(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function expectDone(result: Promise<Result>): Promise<void> {
  const { code, stderr } = await result;
  if (code !== 0) throw new Error(`tmux: ${stderr.trim() || `code ${code}`}`);
}

async function run([program = "", ...words]: string[], env: Record<string, string>, input: string): Promise<Result> {
  return await new Promise((resolve, reject) => {
    const child = spawn(program, words, { env, stdio: ["pipe", "pipe", "pipe"] });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "ENOENT" ? new Error("tmux is not installed: apt-get install tmux, brew install tmux") : error,
      ),
    );
    child.once("close", (code) =>
      resolve({ code, stdout: Buffer.concat(out).toString("utf8"), stderr: Buffer.concat(err).toString("utf8") }),
    );
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

/** A word of tmux's own language. */
function quoted(text: string): string {
  const escaped = text
    .replace(/["\\$]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
  return `"${escaped}"`;
}
