import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { freshExecutable } from "../scripts/build/executable.ts";
import { defineBenchmark, limitGoal } from "./benchmark.ts";

export default defineBenchmark({
  name: "size",
  what: "Disk space: the executable, the Bun inside it, and node_modules after `npm ci`.",
  unit: "MB",
  rounds: 1,
  warmUp: 0,
  goals: [
    limitGoal("the executable is at most 145 MB", "executable", 145, "MB"),
    limitGoal("node_modules takes at most 700 MB", "node_modules", 700, "MB"),
  ],
  prepare: async ({ root }) => {
    const executable = await freshExecutable(root);
    return {
      contenders: [
        { name: "executable", sample: async () => [statSync(executable).size / 1e6] },
        { name: "Bun alone", sample: async () => [statSync(process.execPath).size / 1e6] },
        { name: "node_modules", sample: async () => [spaceOf(join(root, "node_modules"), new Set()) / 1e6] },
      ],
    };
  },
});

/** Blocks in use; a hard link counts once. */
function spaceOf(folder: string, seen: Set<number>): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, one) => {
    const path = join(folder, one.name);
    if (one.isDirectory()) return sum + spaceOf(path, seen);
    if (!one.isFile()) return sum;
    const { ino, blocks } = statSync(path);
    if (seen.has(ino)) return sum;
    seen.add(ino);
    return sum + blocks * 512;
  }, 0);
}
