/**
 * The program cut into chunks as it is in the executable, but as files: so it can be told which of them a command has
 * loaded, and which modules are in those.
 *
 * - `splitProgram(root)` builds it; `modulesIn(chunks)` the source files in them, each with a file of them that imports it;
 *   `builtinsIn(chunks)` the modules of Node and Bun that these import.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { version } from "@devflow/core/version";

export interface SplitProgram {
  readonly main: string;
  modulesIn(chunks: readonly string[]): ReadonlyMap<string, string | undefined>;
  builtinsIn(chunks: readonly string[]): readonly string[];
  remove(): void;
}

export async function splitProgram(root: string): Promise<SplitProgram> {
  mkdirSync(join(root, ".cache"), { recursive: true });
  // Inside the project, so that the package with Postgres is found from there.
  const outdir = mkdtempSync(join(root, ".cache/start-paths-"));
  const { success, metafile, logs } = await Bun.build({
    entrypoints: [join(root, "apps/cli/src/main.ts")],
    target: "bun",
    format: "esm",
    splitting: true,
    minify: true,
    define: { DEVFLOW_VERSION: JSON.stringify(version) },
    metafile: true,
    outdir,
  });
  if (!success || !metafile) throw new Error(`the program was not built:\n${logs.join("\n")}`);
  const { inputs, outputs } = metafile;
  const fromRoot = (path: string) => relative(root, resolve(path));
  const chunks = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  return {
    main: join(outdir, "main.js"),
    builtinsIn: (loaded) =>
      loaded.flatMap((path) => {
        const file = join(outdir, basename(path));
        const code = chunks.has(basename(path)) ? readFileSync(file, "utf8") : "";
        // Whatever is no chunk: libraries are in the chunks.
        return [...code.matchAll(/\bfrom"([^."][^"]*)"/g)].map(([, name = ""]) => name);
      }),
    modulesIn(loaded) {
      const files = loaded.flatMap((path) =>
        Object.entries(chunks.get(basename(path))?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) =>
          bytesInOutput > 0 ? [file] : [],
        ),
      );
      const importers = new Map<string, string>();
      for (const file of files) {
        for (const { path, kind } of inputs[file]?.imports ?? []) {
          if (kind !== "dynamic-import" && !importers.has(path)) importers.set(path, fromRoot(file));
        }
      }
      return new Map(files.map((file) => [fromRoot(file), importers.get(file)]));
    },
    remove: () => rmSync(outdir, { recursive: true, force: true }),
  };
}
