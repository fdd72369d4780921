/**
 * Packages of other platforms, fetched from npm into .cache and checked against package-lock.json.
 *
 * - `packageFolder(root, name)` from node_modules, or fetched; throws when npm does not have it.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

export async function packageFolder(root: string, name: string): Promise<string> {
  const installed = join(root, "node_modules", name);
  if (existsSync(installed)) return installed;
  const { version, integrity } = lockedPackage(root, name);
  const kept = join(root, ".cache/packages", `${name.replace("/", "-")}-${version}`);
  if (!existsSync(kept)) await fetchPackage(`${name}@${version}`, integrity, kept);
  return join(kept, "package");
}

function lockedPackage(root: string, name: string): { version: string; integrity: string } {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version?: string; integrity?: string }>;
  };
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {};
  if (!version || !integrity) throw new Error(`package-lock.json does not pin ${name}`);
  return { version, integrity };
}

async function fetchPackage(spec: string, integrity: string, into: string): Promise<void> {
  mkdirSync(join(into, ".."), { recursive: true });
  const work = mkdtempSync(`${into}.`);
  try {
    const pack = Bun.spawn(["npm", "pack", spec, "--silent", "--pack-destination", work], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    const [code, err] = await Promise.all([pack.exited, new Response(pack.stderr).text()]);
    if (code !== 0)
      throw new Error(`npm could not fetch ${spec}: ${err.trim().split("\n").at(-1) || `exit code ${code}`}`);
    const bytes = readFileSync(join(work, readdirSync(work).find((file) => file.endsWith(".tgz")) ?? ""));
    const found = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    if (found !== integrity) throw new Error(`${spec} from npm does not match package-lock.json`);
    await new Bun.Archive(bytes).extract(join(work, "contents"));
    renameSync(join(work, "contents"), into);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
