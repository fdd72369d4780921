import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshExecutable } from "../scripts/build/executable.ts";
import { defineBenchmark, ratioGoal } from "./benchmark.ts";
import { timeProcess } from "./time-process.ts";

export default defineBenchmark({
  name: "version",
  what: "`devflow --version`, from start to exit: the minimum cost of every hook and skill.",
  unit: "ms",
  rounds: 150,
  warmUp: 5,
  goals: [
    ratioGoal("at most 1.1× an empty compiled Bun program", "devflow --version", "empty compiled Bun program", 1.1),
  ],
  prepare: async ({ root, cache }) => {
    const devflow = await freshExecutable(root);
    const empty = emptyProgram(cache);
    return {
      contenders: [
        { name: "devflow --version", sample: async () => [timeProcess([devflow, "--version"])] },
        { name: "empty compiled Bun program", sample: async () => [timeProcess([empty])] },
        { name: "node -e 0", sample: async () => [timeProcess(["node", "-e", "0"])] },
      ],
    };
  },
});

/** Compiled with the same flags as the executable. */
function emptyProgram(cache: string): string {
  const program = join(cache, `empty-${Bun.version}`);
  if (existsSync(program)) return program;
  const source = join(cache, "empty.ts");
  writeFileSync(source, "export {};\n");
  const flags = ["--compile", "--minify", "--bytecode", "--format=esm", "--splitting", "--no-compile-autoload-bunfig"];
  const words = ["build", ...flags, "--no-compile-autoload-dotenv", source, `--outfile=${program}`];
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, ...words]);
  if (exitCode !== 0) throw new Error(`the empty program could not be built: ${stderr}`);
  return program;
}
