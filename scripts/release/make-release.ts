/**
 * Archives with checksums for every target whose Bun and Postgres are available from npm.
 *
 * - `makeRelease({ root, into, only })` builds, packs and computes checksums; a target that fails is reported with its reason.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { hashBytes } from "@devflow/core/hash";
import { version } from "@devflow/core/version";
import { buildExecutable } from "../build/executable.ts";
import { packageFolder } from "../build/npm-packages.ts";
import { writeSupabaseFolder } from "../build/supabase-folder.ts";
import { tarOf } from "../build/tar.ts";
import { type Target, targetOfThisMachine, targets } from "../build/targets.ts";
import { writeNpmFolder } from "./npm-folder.ts";

export interface ReleasedTarget {
  readonly target: string;
  readonly archive: string | undefined;
  readonly megabytes: number;
  /** Whether this machine can start it; the others are built but not tested. */
  readonly tried: boolean;
  readonly problem: string | undefined;
}

interface ReleaseOptions {
  readonly root: string;
  readonly into: string;
  readonly only?: readonly string[];
  say(line: string): void;
}

export async function makeRelease({ root, into, only, say }: ReleaseOptions): Promise<ReleasedTarget[]> {
  rmSync(into, { recursive: true, force: true });
  mkdirSync(join(into, "npm"), { recursive: true });
  const here = targetOfThisMachine();
  const executables = new Map<string, string>();
  const sums: string[] = [];
  const released: ReleasedTarget[] = [];
  for (const target of targets.filter(({ name }) => !only || only.includes(name))) {
    const tried = target.name === here.name;
    try {
      const executable = join(into, `.devflow-${target.name}`);
      await buildFor(root, target, tried, executable);
      if (tried) proveItStarts(executable);
      const archive = `devflow-${version}-${target.name}.tar.gz`;
      const bytes = archiveOf(root, executable, `devflow-${version}-${target.name}`);
      writeFileSync(join(into, archive), bytes);
      sums.push(`${hashBytes(bytes)}  ${archive}`);
      executables.set(target.name, executable);
      released.push({ target: target.name, archive, megabytes: bytes.length / 1e6, tried, problem: undefined });
      const note = tried ? "tested here" : "not tested: this machine is another platform";
      say(`made      ${archive}  ${(bytes.length / 1e6).toFixed(1)} MB  (${note})`);
    } catch (error) {
      const problem = (error as Error).message;
      released.push({ target: target.name, archive: undefined, megabytes: 0, tried: false, problem });
      say(`not made  ${target.name}: ${problem}`);
    }
  }
  const supabase = `devflow-${version}-supabase.tar.gz`;
  const folder = await supabaseArchive(root);
  writeFileSync(join(into, supabase), folder);
  sums.push(`${hashBytes(folder)}  ${supabase}`);
  say(`made      ${supabase}  ${(folder.length / 1e6).toFixed(1)} MB`);
  writeFileSync(join(into, "SHA256SUMS"), `${sums.join("\n")}\n`);
  const launcher = join(root, "scripts/release/npm-launcher.mjs");
  writeNpmFolder(join(into, "npm"), { version, launcher, license: licenseOf(root, into), executables });
  for (const executable of executables.values()) rmSync(executable);
  rmSync(join(into, ".license"), { force: true });
  return released;
}

async function buildFor(root: string, target: Target, isThisMachine: boolean, outfile: string): Promise<void> {
  const postgres = await packageFolder(root, target.postgresPackage);
  const runtime = isThisMachine ? undefined : join(await packageFolder(root, target.bunPackage), "bin/bun");
  await buildExecutable({ root, target, postgres, outfile, ...(runtime ? { runtime } : {}) });
}

function proveItStarts(executable: string): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync([executable, "--version"], { cwd: "/", env: {} });
  const said = stdout.toString().trim();
  if (exitCode !== 0 || said !== version) throw new Error(`it was built but does not start: ${said}${stderr}`);
}

function archiveOf(root: string, executable: string, folder: string): Uint8Array {
  const texts = ["LICENSE", "CHANGELOG.md"].filter((name) => existsSync(join(root, name)));
  const tar = tarOf([
    { path: `${folder}/devflow`, mode: 0o755, content: readFileSync(executable) },
    ...texts.map((name) => ({ path: `${folder}/${name}`, content: readFileSync(join(root, name)) })),
  ]);
  return Bun.gzipSync(new Uint8Array(tar), { level: 9 });
}

async function supabaseArchive(root: string): Promise<Uint8Array> {
  const work = mkdtempSync(join(tmpdir(), "devflow-supabase-"));
  try {
    await writeSupabaseFolder(root, work);
    const files = readdirSync(work, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name))
      .sort();
    const tar = tarOf(files.map((path) => ({ path: `supabase/${relative(work, path)}`, content: readFileSync(path) })));
    return Bun.gzipSync(new Uint8Array(tar), { level: 9 });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function licenseOf(root: string, into: string): string {
  const path = join(into, ".license");
  if (existsSync(join(root, "LICENSE"))) copyFileSync(join(root, "LICENSE"), path);
  else writeFileSync(path, "MIT\n");
  return path;
}
