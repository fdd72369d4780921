/**
 * Is this command typed by an agent? An agent's session has a token in its environment, and so has everything that it
 * starts; where a child dropped it, its ancestors still have it (readable on Linux). On one account this is detection
 * and not a sandbox.
 */
import { readFileSync } from "node:fs";
import { type Environment, environmentOf } from "@devflow/core/config";

export function callerSession(env: Environment, pid = process.pid): string | undefined {
  return environmentOf(env).DEVFLOW_SESSION_TOKEN || sessionOfAncestors(pid);
}

const name = "DEVFLOW_SESSION_TOKEN=";

function sessionOfAncestors(first: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  let pid = first;
  for (let depth = 0; pid > 1 && depth < 100; depth++) {
    const found = readProc(pid, "environ")
      ?.split("\0")
      .find((entry) => entry.startsWith(name) && entry.length > name.length);
    if (found) return found.slice(name.length);
    const stat = readProc(pid, "stat") ?? "";
    // The command's name may hold spaces and brackets: count from behind the last bracket.
    pid = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
  }
  return undefined;
}

/** Processes of others cannot be read, and are no agents of ours. */
function readProc(pid: number, file: "environ" | "stat"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}
