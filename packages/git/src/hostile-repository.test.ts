/** An untrusted repository: everything in it that could start a program would leave a canary, and none does. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, initRepository, repositoryRoot, repositoryStatus } from "./index.ts";

const identity = { name: "Ada", email: "ada@example.com" };
let folder: string;
let repository: string;
let canary: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "devflow-git-")));
  repository = join(folder, "repository");
  canary = join(folder, "canary");
  env = { HOME: folder, PATH: "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin" };
  await initRepository(repository, { env, identity, files: { "a.txt": "one\n" }, message: "First" });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = () => `touch '${canary}'; cat`;
const configure = (...pairs: [string, string][]) => {
  for (const [name, value] of pairs) plainGit("config", name, value);
};
const commitPlainly = (message: string) => plainGit("-c", "core.hooksPath=/dev/null", "commit", "-q", "-am", message);

/** Plain git; used to build the trap and to show that it works. */
function plainGit(...args: string[]): void {
  const variables = {
    ...env,
    GIT_AUTHOR_NAME: "E",
    GIT_AUTHOR_EMAIL: "e@e",
    GIT_COMMITTER_NAME: "E",
    GIT_COMMITTER_EMAIL: "e@e",
  };
  try {
    execFileSync("git", args, { cwd: repository, env: variables, stdio: "pipe", timeout: 20_000 });
  } catch (error) {
    if (!existsSync(canary)) throw error;
  }
}

function script(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\ntouch '${canary}'\nexit 1\n`);
  chmodSync(path, 0o755);
  return path;
}

/** The trap works on plain git, and does nothing here. */
async function expectDisarmed(plain: string[], ours: () => Promise<unknown>): Promise<void> {
  plainGit(...plain);
  expect(existsSync(canary)).toBe(true);
  rmSync(canary);
  await ours();
  expect(existsSync(canary)).toBe(false);
}

const touchFile = (content: string) => writeFileSync(join(repository, "a.txt"), content);

describe("a repository executes nothing", () => {
  test("hooks", async () => {
    const hooks = join(repository, ".git", "hooks");
    mkdirSync(hooks, { recursive: true });
    for (const hook of [
      "pre-commit",
      "commit-msg",
      "post-commit",
      "post-checkout",
      "reference-transaction",
      "post-index-change",
    ]) {
      writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch '${canary}'\n`);
      chmodSync(join(hooks, hook), 0o755);
    }
    touchFile("two\n");
    await expectDisarmed(["commit", "-am", "Plain"], async () => {
      touchFile("three\n");
      await git(["commit", "--quiet", "-am", "Ours"], { cwd: repository, env, identity });
      await git(["branch"], { cwd: repository, env, revisions: ["topic"] });
      await git(["switch", "--quiet"], { cwd: repository, env, revisions: ["topic"] });
    });
    const { stdout } = await git(["log", "--format=%s by %an"], { cwd: repository, env });
    expect(stdout).toBe("Ours by Ada\nPlain by E\nFirst by Ada\n");
  });

  test("core.fsmonitor", async () => {
    configure(["core.fsmonitor", `touch '${canary}'; true`]);
    await expectDisarmed(["status"], () => repositoryStatus({ cwd: repository, env }));
  });

  // `git -c name=value` splits a name with an equals sign in the wrong place.
  test.each(["evil", "a=b", "dotted.name"])("clean, smudge and process filters called %s", async (name) => {
    configure(
      [`filter.${name}.clean`, program()],
      [`filter.${name}.smudge`, program()],
      [`filter.${name}.required`, "true"],
    );
    writeFileSync(join(repository, ".gitattributes"), `*.txt filter=${name}\n`);
    touchFile("two\n");
    const ours = async () => {
      touchFile("three\n");
      await repositoryStatus({ cwd: repository, env });
      await git(["diff"], { cwd: repository, env });
      await git(["add"], { cwd: repository, env, paths: ["a.txt"] });
      rmSync(join(repository, "a.txt"));
      await git(["checkout"], { cwd: repository, env, paths: ["a.txt"] });
    };
    await expectDisarmed(["add", "a.txt"], ours);
    expect(readFileSync(join(repository, "a.txt"), "utf8")).toBe("three\n");
    configure([`filter.${name}.process`, `touch '${canary}'; false`]);
    touchFile("two\n");
    await expectDisarmed(["add", "a.txt"], ours);
  });

  test("filters in the user's own configuration", async () => {
    plainGit("config", "--global", "filter.evil.clean", program());
    writeFileSync(join(repository, ".gitattributes"), "* filter=evil\n");
    touchFile("two\n");
    await expectDisarmed(["add", "a.txt"], async () => {
      touchFile("three\n");
      await repositoryStatus({ cwd: repository, env });
    });
  });

  test("external diff programs and text converters", async () => {
    configure(["diff.external", `touch '${canary}'; true`]);
    touchFile("two\n");
    await expectDisarmed(["diff"], async () => {
      const { stdout } = await git(["diff"], { cwd: repository, env });
      expect(stdout).toContain("-one\n+two\n");
    });
    plainGit("config", "--unset", "diff.external");
    configure(["diff.evil.command", `touch '${canary}'; true`]);
    writeFileSync(join(repository, ".gitattributes"), "* diff=evil\n");
    await expectDisarmed(["diff"], () => git(["diff"], { cwd: repository, env }));
    plainGit("config", "--unset", "diff.evil.command");
    configure(["diff.evil.textconv", `touch '${canary}'; cat`]);
    commitPlainly("Two");
    await expectDisarmed(["show"], async () => {
      const { stdout } = await git(["show"], { cwd: repository, env });
      expect(stdout).toContain("-one\n+two\n");
      await git(["blame"], { cwd: repository, env, paths: ["a.txt"] });
      await git(["log", "-p"], { cwd: repository, env });
    });
  });

  test("merge drivers: what they would have merged is a conflict", async () => {
    configure(["merge.evil.driver", `touch '${canary}'; true`]);
    writeFileSync(join(repository, ".gitattributes"), "* merge=evil\n");
    plainGit("add", ".gitattributes");
    commitPlainly("Attributes");
    plainGit("checkout", "-q", "-b", "topic");
    touchFile("theirs\n");
    commitPlainly("Theirs");
    plainGit("checkout", "-q", "main");
    touchFile("ours\n");
    commitPlainly("Ours");
    await expectDisarmed(["merge-tree", "--write-tree", "main", "topic"], async () => {
      const options = { cwd: repository, env, answers: [1], revisions: ["main", "topic"] };
      const { exit } = await git(["merge-tree", "--write-tree"], options);
      expect(exit).toBe(1);
    });
  });

  test("signing programs", async () => {
    configure(["commit.gpgSign", "true"], ["gpg.program", script("signer")]);
    touchFile("two\n");
    await expectDisarmed(["commit", "-am", "Plain"], () =>
      git(["commit", "--quiet", "-am", "Ours"], { cwd: repository, env, identity }),
    );
  });

  test("core.sshCommand, ext:: remotes, credential helpers and askpass programs", async () => {
    configure(["core.sshCommand", `touch '${canary}'; false`], ["remote.ssh.url", "ssh://127.0.0.1:1/x"]);
    await expectDisarmed(["fetch", "ssh"], async () => {
      const fetched = git(["fetch"], { cwd: repository, env, protocols: ["ssh"], revisions: ["ssh"] });
      await expect(fetched).rejects.toMatchObject({ code: "git_failed" });
    });
    configure(["protocol.ext.allow", "always"], ["remote.ext.url", `ext::${script("ext")}`]);
    await expectDisarmed(["fetch", "ext"], async () => {
      const protocols = ["https", "http", "ssh", "file"] as const;
      const fetched = git(["fetch"], { cwd: repository, env, protocols, revisions: ["ext"] });
      await expect(fetched).rejects.toThrow("transport 'ext' not allowed");
    });
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response("", { status: 401, headers: { "www-authenticate": "Basic realm=x" } }),
    });
    try {
      configure(["credential.helper", `!touch '${canary}'; true`], ["core.askPass", `touch '${canary}'; true`]);
      const url = `http://127.0.0.1:${server.port}/x`;
      configure(["remote.web.url", url], [`credential.${url}.helper`, `!touch '${canary}'; true`]);
      const fetched = git(["fetch"], { cwd: repository, env, protocols: ["http"], revisions: ["web"] });
      await expect(fetched).rejects.toThrow("terminal prompts disabled");
      expect(existsSync(canary)).toBe(false);
    } finally {
      await server.stop(true);
    }
  });

  test("no transport is allowed unless the caller names it", async () => {
    configure(["remote.file.url", `file://${repository}`]);
    const fetched = git(["fetch"], { cwd: repository, env, revisions: ["file"] });
    await expect(fetched).rejects.toThrow("transport 'file' not allowed");
    const local = join(folder, "local");
    plainGit("clone", "-q", repository, local);
    configure(["remote.local.url", local], ["remote.local.uploadpack", `touch '${canary}'; git-upload-pack`]);
    await expectDisarmed(["fetch", "local"], async () => {
      await expect(git(["fetch"], { cwd: repository, env, revisions: ["local"] })).rejects.toThrow("not allowed");
    });
  });

  test("aliases and pagers", async () => {
    configure(
      ["alias.evil", `!touch '${canary}'`],
      ["pager.log", `touch '${canary}'; cat`],
      ["alias.status", `!touch '${canary}'`],
    );
    await expectDisarmed(["evil"], async () => {
      await expect(git(["evil" as "log"], { cwd: repository, env })).rejects.toMatchObject({ code: "git_failed" });
      await git(["log"], { cwd: repository, env });
      await repositoryStatus({ cwd: repository, env });
    });
  });

  test("a program called git in the folder, with a dot in PATH", async () => {
    writeFileSync(join(repository, "git"), `#!/bin/sh\ntouch '${canary}'\n`);
    chmodSync(join(repository, "git"), 0o755);
    await repositoryStatus({ cwd: repository, env: { ...env, PATH: `.:./bin::${env.PATH}` } });
    expect(existsSync(canary)).toBe(false);
  });

  test("a folder that only looks like a bare repository contributes no settings", async () => {
    const fake = join(repository, "vendor");
    mkdirSync(join(fake, "objects"), { recursive: true });
    mkdirSync(join(fake, "refs"));
    writeFileSync(join(fake, "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(fake, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n");
    await expect(repositoryRoot({ cwd: fake, env })).rejects.toThrow("cannot use bare repository");
  });

  test("a submodule's filters", async () => {
    const inner = join(folder, "inner");
    await initRepository(inner, { env, identity, files: { "b.txt": "one\n" }, message: "Inner" });
    plainGit("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "sub");
    commitPlainly("With a submodule");
    const sub = join(repository, "sub");
    execFileSync("git", ["config", "filter.evil.clean", program()], { cwd: sub, env });
    writeFileSync(join(repository, ".git", "modules", "sub", "info", "attributes"), "* filter=evil\n");
    writeFileSync(join(sub, "b.txt"), "two\n");
    await expectDisarmed(["status"], async () => {
      writeFileSync(join(sub, "b.txt"), "three\n");
      await repositoryStatus({ cwd: repository, env });
      await git(["diff"], { cwd: repository, env });
    });
  });
});

describe("a poisoned environment", () => {
  test("GIT_DIR, GIT_CONFIG_*, GIT_SSH_COMMAND and the like are not passed on", async () => {
    const other = join(folder, "other");
    await initRepository(other, { env, identity, files: { "other.txt": "x" }, message: "Other" });
    const poisoned = {
      ...env,
      GIT_DIR: join(other, ".git"),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: join(folder, "index"),
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.fsmonitor",
      GIT_CONFIG_VALUE_0: `touch '${canary}'; true`,
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor=touch ${canary}'`,
      GIT_EXTERNAL_DIFF: `touch '${canary}'; true`,
      GIT_EXEC_PATH: folder,
      GIT_TRACE: canary,
      GIT_PAGER: `touch '${canary}'`,
    };
    touchFile("two\n");
    expect(await repositoryRoot({ cwd: repository, env: poisoned })).toBe(repository);
    await repositoryStatus({ cwd: repository, env: poisoned });
    const { stdout } = await git(["diff"], { cwd: repository, env: poisoned });
    expect(stdout).toContain("-one\n+two\n");
    expect(existsSync(canary)).toBe(false);
  });
});
