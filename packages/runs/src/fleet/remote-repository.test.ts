import { afterAll, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, initRepository } from "@devflow/git";
import { temporaryHome } from "@devflow/testkit";
import { ensureMirror } from "./remote-repository.ts";
import { pushRef } from "./work-refs.ts";

const home = temporaryHome();
const env = home.environment();
const repository = join(home.path, "shop");
await initRepository(repository, { files: { "README.md": "# Shop\n" }, message: "Start", env });
const place = { cwd: repository, env };
const commitOf = async () => (await git(["rev-parse", "HEAD"], place)).stdout.trim();

const locked = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => new Response("", { status: 401, headers: { "www-authenticate": 'Basic realm="git"' } }),
});
afterAll(() => locked.stop(true));

const need = async (remote: string, name: string) => ({
  ...{ remote, mirror: join(home.path, "mirrors", name), baseBranch: "main", refs: [] },
  commits: [await commitOf()],
});

test("a machine without credentials for the repository says so, asks nobody, and leaves no half mirror", async () => {
  const remote = `http://127.0.0.1:${locked.port}/shop.git`;
  await expect(ensureMirror(await need(remote, "locked"), { env })).rejects.toMatchObject({
    code: "repository_unreachable",
    message: expect.stringContaining(`Cannot fetch ${remote} on this machine`),
    hint: "Give its user access to the repository, for example with an ssh key or: gh auth setup-git",
  });
  await expect(pushRef(remote, "HEAD:refs/devflow/x", place)).rejects.toMatchObject({ code: "push_failed" });
  // The same place serves as soon as it can be fetched.
  await ensureMirror(await need(repository, "locked"), { env });
});

test("a repository that moved is told of by its old address, and its mirror serves the new one", async () => {
  const [before, after] = [join(home.path, "before.git"), join(home.path, "after.git")];
  await git(["clone", "--bare", "--quiet"], { ...place, protocols: ["file"], paths: [repository, before] });
  await ensureMirror(await need(before, "moved"), { env });
  renameSync(before, after);
  // What the mirror has already needs no remote.
  await ensureMirror(await need(before, "moved"), { env });
  writeFileSync(join(repository, "README.md"), "# Shop, moved\n");
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  execFileSync("git", [...who, "commit", "--quiet", "--all", "--message=Move"], place);
  await expect(ensureMirror(await need(before, "moved"), { env })).rejects.toMatchObject({
    code: "repository_unreachable",
    message: expect.stringContaining(before),
  });
  await expect(ensureMirror(await need(after, "moved"), { env })).rejects.toMatchObject({
    code: "repository_lacks_commit",
  });
  await git(["push", "--quiet"], { ...place, protocols: ["file"], revisions: [after, "main"] });
  await ensureMirror(await need(after, "moved"), { env });
});
