/**
 * The remote of a repository that a branch is pushed to.
 *
 * - `findRemote(options)` the named one, or `origin`, or the only one; with the forge behind it, if it is a known one.
 */
import type { Environment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { git } from "@devflow/git";
import { forgeHosts } from "./forge-hosts.ts";
import { type ForgeRepository, parseRemote, remoteHost, shownRemote } from "./forge-repository.ts";

export interface Remote {
  readonly name: string;
  /** Without a password. */
  readonly url: string;
  readonly host: string | undefined;
  readonly repository: ForgeRepository | undefined;
}

export interface FindRemoteOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly forges: readonly string[];
  readonly remote?: string | undefined;
  /** Instead of a remote that the repository knows. */
  readonly address?: string | undefined;
}

export async function findRemote({ cwd, env, forges, remote, address }: FindRemoteOptions): Promise<Remote> {
  const place = { cwd, env };
  if (address !== undefined) {
    const found = (await git(["ls-remote", "--get-url"], { ...place, revisions: [address] })).stdout.trim();
    return { name: address, ...about(found, forges) };
  }
  const names = (await git(["remote"], place)).stdout.split("\n").filter(Boolean);
  const name = remote ?? (names.includes("origin") || names.length !== 1 ? "origin" : names[0]) ?? "origin";
  if (!names.includes(name)) throw noRemote(cwd, name, names);
  // With `url.*.insteadOf` applied: this is where git really sends it.
  const urls = (await git(["remote", "get-url", "--push", "--all"], { ...place, revisions: [name] })).stdout;
  const [url, ...others] = urls.split("\n").filter(Boolean);
  if (url === undefined || others.length > 0) {
    throw new DevflowError("input_invalid", {
      details: {
        problem: `The remote ${name} has ${others.length + 1} URLs to push to.`,
        next: `Keep one: git -C ${cwd} remote set-url --push ${name} <url>`,
      },
    });
  }
  return { name, ...about(url, forges) };
}

const about = (url: string, forges: readonly string[]) => ({
  url: shownRemote(url),
  host: remoteHost(url),
  repository: parseRemote(url, forgeHosts(forges)),
});

function noRemote(cwd: string, name: string, names: readonly string[]): DevflowError {
  const other = names.length > 0 ? `It has: ${names.join(", ")}. Name one: --remote <name>` : "";
  return new DevflowError("not_found", {
    details: {
      what: `A remote called "${name}" of ${cwd}`,
      next: other || `Add one: git -C ${cwd} remote add ${name} <url>`,
    },
  });
}
