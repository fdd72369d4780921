/**
 * The repository that a folder belongs to, as the team knows it.
 *
 * - `repositoryOf(place, machine)` its canonical remote; for a repository without a remote, a name that only this machine has.
 *   Undefined outside a repository. The same in every worktree.
 * - `readRepository(place)` the same before the machine is known: a function of it.
 */
import { resolve } from "node:path";
import { canonicalRemote } from "@devflow/core/canonical-remote";
import { type GitOptions, git } from "@devflow/git";
import { localName } from "./local-name.ts";

type Place = Pick<GitOptions, "cwd" | "env" | "signal">;

export async function repositoryOf(place: Place, machine: string): Promise<string | undefined> {
  return (await readRepository(place))?.(machine);
}

export async function readRepository(place: Place): Promise<((machine: string) => string) | undefined> {
  // Started together, because each is a process. Outside a repository there are the remotes of the person's own settings, if any.
  const urls = remoteUrls(place);
  urls.catch(() => {});
  const { stdout, exit } = await git(["rev-parse", "--path-format=absolute", "--git-common-dir"], {
    ...place,
    answers: [128],
  });
  if (exit !== 0) return undefined;
  for (const url of await urls) {
    const canonical = canonicalRemote(url);
    if (canonical) return () => canonical;
  }
  return (machine) => localName(resolve(place.cwd, stdout.replace(/\n$/, "")), machine);
}

/** As written in the configuration: what a person's own `insteadOf` makes of it is not the team's name. `origin` first. */
async function remoteUrls(place: Place): Promise<readonly string[]> {
  const { stdout } = await git(["config", "--get-regexp", "^remote\\..*\\.url$"], { ...place, answers: [1] });
  const found = stdout.split("\n").flatMap((line) => {
    const [, name = "", url = ""] = /^remote\.(.+)\.url (.*)$/.exec(line) ?? [];
    return url ? [{ name, url }] : [];
  });
  return found.sort((a, b) => Number(b.name === "origin") - Number(a.name === "origin")).map(({ url }) => url);
}
