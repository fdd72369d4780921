/**
 * Processes that a test file left behind: those that carry its mark in their environment, wherever they hang in the
 * process tree, and those that descend from this process, whatever environment they were given.
 *
 * - `leftProcesses(tag)` what lives now.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { testTagVariable } from "../test-tag.ts";

export interface LivingProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  readonly isTagged: boolean;
}

export function leftProcesses(tag: string): LivingProcess[] {
  const living = process.platform === "linux" ? linuxProcesses(tag) : portableProcesses(tag);
  const ours = withDescendants(living, new Set([process.pid]));
  return living.filter(
    ({ pid, isTagged, command }) => pid !== process.pid && (isTagged || ours.has(pid)) && !isScan(command),
  );
}

/** `ps` itself is a child while it looks. */
const isScan = (command: string): boolean => process.platform !== "linux" && command.startsWith("ps -axeww");

function withDescendants(living: readonly LivingProcess[], roots: ReadonlySet<number>): Set<number> {
  const found = new Set(roots);
  for (let grown = -1; grown !== found.size; ) {
    grown = found.size;
    for (const { pid, parent } of living) if (found.has(parent)) found.add(pid);
  }
  return found;
}

function linuxProcesses(tag: string): LivingProcess[] {
  const mark = `${testTagVariable}=${tag}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readProc(name, "stat");
      // The command name may hold spaces and brackets, so count fields from behind the last bracket.
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (!state || state === "Z" || state === "X") return [];
      const environment = readProc(name, "environ").split("\0");
      const command = readProc(name, "cmdline").replaceAll("\0", " ").trim();
      const isTagged = environment.some((one) => one === mark || one.startsWith(`${mark}/`));
      return [{ pid: Number(name), parent: Number(parent), command: command || stat, isTagged }];
    });
}

/** Empty for a process that ended meanwhile, and for other people's. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** `e` appends the environment to the command. */
function portableProcesses(tag: string): LivingProcess[] {
  const mark = ` ${testTagVariable}=${tag}`;
  const listed = execFileSync("ps", ["-axeww", "-o", "pid=,ppid=,stat=,command="], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    if (!match || match[3]?.startsWith("Z")) return [];
    const whole = match[4] ?? "";
    const command = whole.split(/ [A-Z_]+=/)[0] ?? whole;
    return [{ pid: Number(match[1]), parent: Number(match[2]), command, isTagged: whole.includes(mark) }];
  });
}
