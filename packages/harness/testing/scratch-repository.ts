/** A repository for the tests of this package, in its own folder. */
import { cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { initRepository } from "@devflow/git";

export const ada = { name: "Ada", email: "ada@example.com" };

export interface ScratchRepository {
  readonly folder: string;
  readonly repository: string;
  readonly workspace: string;
  readonly base: string;
  readonly env: Record<string, string>;
  remove(): Promise<void>;
}

export async function scratchRepository(files: Record<string, string>): Promise<ScratchRepository> {
  const places = await scratchFolder();
  const { repository, env } = places;
  const { commit } = await initRepository(repository, { env, identity: ada, files, message: "Start" });
  return { ...places, base: commit };
}

/** For tests that need many files: copying is faster than committing them again. */
export async function copyOf(original: ScratchRepository): Promise<ScratchRepository> {
  const places = await scratchFolder();
  await cp(join(original.repository, ".git"), join(places.repository, ".git"), { recursive: true });
  return { ...places, base: original.base };
}

async function scratchFolder(): Promise<Omit<ScratchRepository, "base">> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "devflow-harness-")));
  return {
    folder,
    repository: join(folder, "repository"),
    workspace: join(folder, "workspaces"),
    env: { HOME: folder, PATH: "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin" },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
