/**
 * The `devflow` executable: the command line, the server, the web app, the migrations and Postgres in one file.
 *
 * - `buildExecutable({ root, target, runtime, postgres, outfile })` builds it.
 * - `freshExecutable(root)` one for this machine in .cache, rebuilt only when a source changed: for tests and bench.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { tryLock } from "@devflow/core/exclusive-lock";
import { hashBytes } from "@devflow/core/hash";
import { version } from "@devflow/core/version";
import { packPostgres } from "./pack-postgres.ts";
import { writePlainModules } from "./plain-modules.ts";
import { recordStarts } from "./record-starts.ts";
import { type Target, targetOfThisMachine } from "./targets.ts";

export interface BuildOptions {
  readonly root: string;
  readonly target: Target;
  /** The target's Bun, if it is not the one that runs this. */
  readonly runtime?: string;
  /** The folder of the target's Postgres package. */
  readonly postgres: string;
  readonly outfile: string;
}

export async function buildExecutable({ root, target, runtime, postgres, outfile }: BuildOptions): Promise<void> {
  const cache = join(root, ".cache");
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "build-"));
  try {
    await layOutEmbedded(root, postgres, join(work, "embedded"));
    const unfinished = join(work, "devflow");
    const stubs = await writePlainModules(root, work);
    const paths = `--tsconfig-override=${writePaths(root, work, stubs)}`;
    const plain = join(work, "devflow-plain");
    await compile(root, work, [paths, `--outfile=${plain}`]);
    const orders = await recordStarts(plain, join(work, "starts"));
    await compile(root, work, [
      paths,
      "--asset=embedded",
      `--outfile=${unfinished}`,
      `--bytecode-order=${orders.join(",")}`,
      ...(runtime ? [`--target=${target.bunTarget}`, `--compile-executable-path=${runtime}`] : []),
    ]);
    mkdirSync(dirname(outfile), { recursive: true });
    renameSync(unfinished, outfile);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Everything that is not code is embedded as files under `embedded/`; apps/cli/src/embedded.ts finds them there. Migrations
 * and schemas are code (text imports).
 */
async function layOutEmbedded(root: string, postgres: string, into: string): Promise<void> {
  const web = join(root, "apps/web/dist");
  if (!existsSync(join(web, "index.html"))) throw new Error("the web app is not built; run: npm run setup");
  mkdirSync(into, { recursive: true });
  packFiles(web, join(into, "web"));
  cpSync(join(root, "skills"), join(into, "skills"), { recursive: true });
  packGrammars(join(root, "node_modules/@vscode/tree-sitter-wasm/wasm"), join(into, "grammars"));
  const { path, version, sha256 } = packPostgres(postgres, join(root, ".cache"));
  cpSync(path, join(into, "postgres.tar.zst"));
  writeFileSync(join(into, "postgres.json"), JSON.stringify({ version, sha256 }));
}

/** Compressed to a quarter: 0.9 MB would not earn their place in the executable. The server unpacks what is asked for. */
function packFiles(from: string, into: string): void {
  mkdirSync(into);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [file, target] = [join(from, entry.name), join(into, entry.name)];
    if (entry.isDirectory()) packFiles(file, target);
    else writeFileSync(`${target}.zst`, Bun.zstdCompressSync(readFileSync(file), { level: 19 }));
  }
}

/** Compressed to about a tenth: 3.1 MB would not earn their place in the executable. */
function packGrammars(from: string, into: string): void {
  mkdirSync(into);
  for (const name of ["tree-sitter", "tree-sitter-typescript", "tree-sitter-tsx"]) {
    const bytes = readFileSync(join(from, `${name}.wasm`));
    writeFileSync(join(into, `${name}.wasm.zst`), Bun.zstdCompressSync(bytes, { level: 19 }));
  }
}

/** Where the compiled program finds the modules that are embedded as files. */
function writePaths(root: string, work: string, stubs: Readonly<Record<string, string>>): string {
  const file = join(work, "tsconfig.json");
  const paths = Object.fromEntries(Object.entries(stubs).map(([name, stub]) => [name, [stub]]));
  writeFileSync(
    file,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions: { baseUrl: work, paths } }),
  );
  return file;
}

/**
 * Bytecode, splitting and lazy imports make `--version` as fast as an empty program. The "no autoload" flags are a matter of
 * security: by default a compiled program runs the `preload` of a bunfig.toml and reads the .env in the folder it is started
 * in.
 */
async function compile(root: string, cwd: string, flags: string[]): Promise<void> {
  const words = [
    ...["build", "--compile", "--minify", "--bytecode", "--format=esm", "--splitting"],
    ...["--no-compile-autoload-bunfig", "--no-compile-autoload-dotenv"],
    ...["--no-compile-autoload-tsconfig", "--no-compile-autoload-package-json"],
    // Otherwise, libraries that use their folder would contain paths of the build machine.
    ...['--define=__dirname="/devflow"', '--define=__filename="/devflow/module"'],
    `--define=DEVFLOW_VERSION=${JSON.stringify(version)}`,
    ...flags,
    join(root, "apps/cli/src/main.ts"),
  ];
  const build = Bun.spawn([process.execPath, ...words], { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [code, out, err] = await Promise.all([
    build.exited,
    new Response(build.stdout).text(),
    new Response(build.stderr).text(),
  ]);
  if (code !== 0) throw new Error(`bun build failed:\n${out}${err}`);
}

export async function freshExecutable(root: string): Promise<string> {
  const folder = join(root, ".cache/executable");
  const executable = join(folder, "devflow");
  const stamp = join(folder, "sources.sha256");
  mkdirSync(folder, { recursive: true });
  // Test files that run at the same time build once.
  const lock = await waitForLock(join(folder, ".lock"));
  try {
    const sources = hashOfSources(root);
    if (existsSync(executable) && existsSync(stamp) && readFileSync(stamp, "utf8") === sources) return executable;
    const target = targetOfThisMachine();
    const unfinished = join(folder, "devflow.unfinished");
    const postgres = join(root, "node_modules", target.postgresPackage);
    await buildExecutable({ root, target, postgres, outfile: unfinished });
    rmSync(stamp, { force: true });
    renameSync(unfinished, executable);
    writeFileSync(stamp, sources);
    return executable;
  } finally {
    lock.release();
  }
}

async function waitForLock(path: string) {
  for (;;) {
    const lock = tryLock(path);
    if (lock) return lock;
    await Bun.sleep(100);
  }
}

function hashOfSources(root: string): string {
  const parts: string[] = [];
  const walk = (folder: string) => {
    for (const name of existsSync(join(root, folder)) ? readdirSync(join(root, folder)).sort() : []) {
      if (name === "node_modules" || /\.test\.tsx?$/.test(name)) continue;
      const path = `${folder}/${name}`;
      if (statSync(join(root, path)).isDirectory()) walk(path);
      else parts.push(path, hashBytes(readFileSync(join(root, path))));
    }
  };
  for (const folder of ["apps", "packages", "schemas", "skills", "scripts/build"]) walk(folder);
  return hashBytes([...parts, hashBytes(readFileSync(join(root, "package-lock.json"))), Bun.version].join("\n"));
}
