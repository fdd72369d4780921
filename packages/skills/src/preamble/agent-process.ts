/**
 * The agent that runs a command: agents start a new shell for every command, so the direct parent is nobody.
 *
 * - `agentProcess(pid)` the nearest ancestor that is no shell, with proof of who it is; undefined when there is none.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { type ProcessProof, processIdentity } from "@devflow/core/process-proof";

const shells = /^-?(?:ba|z|da|fi|k)?sh$|^(?:env|time|timeout|nice|sudo|xargs|script)$/;
const farthest = 8;

export function agentProcess(pid: number): ProcessProof | undefined {
  let current = pid;
  for (let step = 0; step < farthest && current > 1; step++) {
    const found = processAt(current);
    if (!found) return undefined;
    if (!shells.test(found.name)) {
      const identity = processIdentity(current);
      return identity === undefined ? undefined : { pid: current, identity };
    }
    current = found.parent;
  }
  return undefined;
}

function processAt(pid: number): { name: string; parent: number } | undefined {
  try {
    if (process.platform === "linux") {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const end = stat.lastIndexOf(")");
      return { name: stat.slice(stat.indexOf("(") + 1, end), parent: Number(stat.slice(end + 2).split(" ")[1]) };
    }
    const line = execFileSync("ps", ["-o", "ppid=,comm=", "-p", String(pid)], { encoding: "utf8" }).trim();
    const [, parent = "", path = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    return { name: path.split("/").at(-1) ?? "", parent: Number(parent) };
  } catch {
    return undefined;
  }
}
