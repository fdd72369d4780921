/**
 * The processes of this machine, as the system shows them: `/proc` on Linux, `ps` elsewhere. A zombie holds nothing and
 * is left out; so is a process that ends while it is looked at.
 *
 * - `liveProcess(pid)`, `liveProcesses()` one of them; all of them.
 * - `ancestry(pid)` the process itself, its parent and so on upwards.
 * - `linuxStat(pid)` the numbers of `/proc/<pid>/stat`, zombies included.
 */
import { readdirSync, readFileSync } from "node:fs";

export interface LiveProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Of its program, without a folder; Linux cuts it after 15 characters. */
  readonly name: string;
  /** Its command line. Read when it is asked for; where only `ps` tells, split at blanks. */
  readonly argv: readonly string[];
  /** `NAME=value`, as it was started. Empty for other people's processes, and everywhere but on Linux. */
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

/** Far deeper than real ones: a walk must end, even when pids are given again under it. */
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
  readonly parent: number;
  readonly group: number;
  /** In clock ticks since the machine started. */
  readonly startedAt: string;
}

export function linuxStat(pid: number): LinuxStat | undefined {
  const stat = readProc(pid, "stat");
  // The name may hold spaces and brackets, so count fields from behind the last bracket.
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).split(" ");
  const [state = "", parent, group] = fields;
  if (end < 0 || state === "") return undefined;
  return {
    name: stat.slice(stat.indexOf("(") + 1, end),
    isZombie: state === "Z" || state === "X",
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

/** Empty for a process that has ended, and for what another user keeps to itself. */
function readProc(pid: number, file: "stat" | "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

function listed(which: readonly string[]): LiveProcess[] {
  // Loaded here only: it costs a millisecond, and `devflow browse` proves a process with every command.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const ps = spawnSync("ps", ["-ww", ...which, "-o", "pid=,ppid=,pgid=,stat=,args="], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return (ps.stdout ?? "").split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    // `ps` sees itself.
    if (!match || match[4]?.startsWith("Z") || Number(match[1]) === ps.pid) return [];
    const [pid, parent, group] = match.slice(1, 4).map(Number) as [number, number, number];
    const argv = (match[5] ?? "").split(" ");
    return [{ pid, parent, group, name: argv[0]?.split("/").at(-1) ?? "", argv, variables: [] }];
  });
}
