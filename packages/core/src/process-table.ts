/**
 * The processes of this machine as the system reports them: `/proc` on Linux, `ps` elsewhere. Zombies are left out, and so
 * is a process that ends while it is read.
 *
 * - `liveProcess(pid)`, `liveProcesses()` one process; all of them.
 * - `ancestry(pid)` the process, its parent and so on upwards.
 * - `linuxStat(pid)` the fields of `/proc/<pid>/stat`, also for zombies.
 */
import { readdirSync, readFileSync } from "node:fs";

export interface LiveProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Name of its program, without folder; Linux cuts it after 15 characters. */
  readonly name: string;
  /** Its command line, read on access; from `ps`, split at spaces. */
  readonly argv: readonly string[];
  /** `NAME=value`, as at its start. Empty for other users' processes, and on systems other than Linux. */
  readonly variables: readonly string[];
}

export function liveProcess(pid: number): LiveProcess | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return process.platform === "linux" ? linuxProcess(pid) : listed(["-p", String(pid)])[0];
}

export function liveProcesses(): LiveProcess[] {
  if (process.platform !== "linux") return listed(["-A"]);
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (linuxProcess(Number(name)) ?? []) : []));
}

/** Deeper than any real ancestry: a walk must end even if pids are reused meanwhile. */
const deepest = 100;

export function* ancestry(pid: number): Generator<LiveProcess, void> {
  let current = pid;
  for (let depth = 0; depth < deepest && current > 0; depth++) {
    const found = liveProcess(current);
    if (!found) return;
    yield found;
    current = found.parent;
  }
}

interface LinuxStat {
  readonly name: string;
  readonly isZombie: boolean;
  /** By a signal, until it is continued. */
  readonly isStopped: boolean;
  readonly parent: number;
  readonly group: number;
  /** In clock ticks since boot. */
  readonly startedAt: string;
}

export function linuxStat(pid: number): LinuxStat | undefined {
  const stat = readProc(pid, "stat");
  // The name may contain spaces and parentheses, so count fields from the last parenthesis.
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).split(" ");
  const [state = "", parent, group] = fields;
  if (end < 0 || state === "") return undefined;
  return {
    name: stat.slice(stat.indexOf("(") + 1, end),
    isZombie: state === "Z" || state === "X",
    isStopped: state === "T" || state === "t",
    parent: Number(parent),
    group: Number(group),
    startedAt: fields[19] ?? "",
  };
}

function linuxProcess(pid: number): LiveProcess | undefined {
  const stat = linuxStat(pid);
  if (!stat || stat.isZombie) return undefined;
  const { name, parent, group } = stat;
  return {
    ...{ pid, parent, group, name },
    get argv() {
      return readProc(pid, "cmdline").split("\0").slice(0, -1);
    },
    get variables() {
      return readProc(pid, "environ").split("\0").slice(0, -1);
    },
  };
}

/** Empty for a process that has ended or that belongs to another user. */
function readProc(pid: number, file: "stat" | "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

function listed(which: readonly string[]): LiveProcess[] {
  // Loaded only here: it takes a millisecond, and every `devflow browse` command proves a process.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const ps = spawnSync("ps", ["-ww", ...which, "-o", "pid=,ppid=,pgid=,stat=,args="], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return (ps.stdout ?? "").split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    // `ps` lists itself.
    if (!match || match[4]?.startsWith("Z") || Number(match[1]) === ps.pid) return [];
    const [pid, parent, group] = match.slice(1, 4).map(Number) as [number, number, number];
    const argv = (match[5] ?? "").split(" ");
    return [{ pid, parent, group, name: argv[0]?.split("/").at(-1) ?? "", argv, variables: [] }];
  });
}
