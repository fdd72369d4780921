/**
 * Installs skills where an agent looks for them.
 *
 * - `readSkills(folder)` the skills that come with this Devflow.
 * - `installSkills(skills, { into, library })` the outcome for each. With a library the texts live there and `into`
 *   gets links, so that every host sees an upgrade at once; without one (a repository, for teammates too) the files are
 *   written to `into`.
 * - `removeSkills(skills, { into, library })` removes what Devflow installed.
 *
 * What Devflow did not make is never replaced or removed, unless `force`.
 */
import { lstat, mkdir, readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import { isMadeByDevflow, parseSkill, type Skill } from "./skill-text.ts";

export const installOutcomes = ["installed", "updated", "unchanged", "refused", "removed"] as const;

export interface InstallResult {
  readonly name: string;
  readonly path: string;
  readonly outcome: (typeof installOutcomes)[number];
}

export async function readSkills(folder: string): Promise<Skill[]> {
  const names = (await readdir(folder)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name, "SKILL.md"), "utf8")));
  return texts.map((text, index) => {
    const parsed = parseSkill(text);
    if ("fault" in parsed) throw new Error(`skills/${names[index]}/SKILL.md: ${parsed.fault}`);
    return parsed.skill;
  });
}

interface InstallOptions {
  readonly into: string;
  readonly library?: string;
  readonly force?: boolean;
}

export async function installSkills(skills: readonly Skill[], options: InstallOptions): Promise<InstallResult[]> {
  const results: InstallResult[] = [];
  await mkdir(options.into, { recursive: true });
  if (options.library !== undefined) await ensurePrivateFolder(options.library);
  for (const skill of skills) {
    const path = join(options.into, skill.name);
    results.push({ name: skill.name, path, outcome: await installOne(skill, path, options) });
  }
  return results;
}

export async function removeSkills(
  skills: readonly Skill[],
  { into, library }: Pick<InstallOptions, "into" | "library">,
): Promise<InstallResult[]> {
  const results: InstallResult[] = [];
  for (const { name } of skills) {
    const path = join(into, name);
    const found = await whatIsAt(path, library);
    if (found === "nothing") continue;
    if (found === "ours") await rm(path, { recursive: true });
    results.push({ name, path, outcome: found === "ours" ? "removed" : "refused" });
  }
  return results;
}

async function installOne(skill: Skill, path: string, { library, force = false }: InstallOptions) {
  const found = await whatIsAt(path, library);
  if (found === "foreign" && !force) return "refused";
  const before = await textAt(path);
  if (library === undefined) {
    // A link into a home folder would be broken on a teammate's machine.
    if (await isLink(path)) await rm(path);
    if (before !== skill.text) await writeSkill(path, skill);
  } else {
    const target = join(library, skill.name);
    if ((await textAt(target)) !== skill.text) await writeSkill(target, skill);
    if ((await readlink(path).catch(() => undefined)) !== target) {
      await rm(path, { recursive: true, force: true });
      await symlink(target, path, "dir");
    }
  }
  if (before === undefined) return "installed";
  return before === skill.text ? "unchanged" : "updated";
}

async function writeSkill(folder: string, { text }: Skill): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFileAtomic(join(folder, "SKILL.md"), text, 0o644);
}

/** A link into the library counts as ours even when its target is gone. */
async function whatIsAt(path: string, library: string | undefined): Promise<"nothing" | "ours" | "foreign"> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return "nothing";
  const target = found.isSymbolicLink() ? await readlink(path) : undefined;
  if (target !== undefined && dirname(target) === library) return "ours";
  const text = await textAt(path);
  return text !== undefined && isMadeByDevflow(text) ? "ours" : "foreign";
}

const textAt = (folder: string): Promise<string | undefined> =>
  readFile(join(folder, "SKILL.md"), "utf8").catch(() => undefined);

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
