/** The GitHub Action, run by act on this machine, with the real gh and a GitHub on loopback. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashBytes } from "@devflow/core/hash";
import { actOrSkip, type ForgeDouble, ghOrSkip, startForge } from "@devflow/forge/testing";
import { git, initRepository } from "@devflow/git";
import { devflowCommand, runCli, runProcess, temporaryHome } from "@devflow/testkit";
import { startTeam } from "../../testing/start-team.ts";

const root = join(import.meta.dir, "../../../..");
const [gh, act] = [await ghOrSkip(), await actOrSkip()];
const ada = temporaryHome();
const runner = temporaryHome();
const shop = join(runner.path, "shop");
let forge: ForgeDouble;
let team: Awaited<ReturnType<typeof startTeam>>;
let token = "";
let head = "";

const results = (outcomes: string) =>
  JSON.stringify({
    suite: "support",
    results: [...outcomes].map((letter, place) => ({ name: `case ${place}`, passed: letter === "p", input: place })),
  });

describe.skipIf(gh === undefined || act === undefined)("the action", () => {
  beforeAll(async () => {
    forge = await startForge();
    team = await startTeam();
    expect(
      (await runCli(["sync", "init", team.setupUrl, "--name", "Ada", "--team", "Engines"], { home: ada })).code,
    ).toBe(0);
    const made = await runCli(["team", "token", "create", "ci", "--scope", "write", "--json"], { home: ada });
    token = made.json<{ token: string }>().token;
    const env = runner.environment();
    await initRepository(shop, {
      files: {
        ".devflow.json": JSON.stringify({ server: team.url, team: "engines" }),
        "base.json": results("p".repeat(20)),
      },
      message: "Base",
      env,
    });
    await git(["remote", "add", "origin", "https://github.localhost/acme/shop.git"], { cwd: shop, env });
    for (const [name, value] of [
      ["name", "Ada"],
      ["email", "ada@example.com"],
    ] as const) {
      await git(["config", `user.${name}`, value], { cwd: shop, env });
    }
    const base = await runCli(["eval", "push", "base.json"], { home: runner, cwd: shop });
    expect(base.code).toBe(0);
    // The pull request: its own branch, worse results, and the action from this checkout.
    await git(["checkout", "--quiet", "-b", "shorter-prompt"], { cwd: shop, env });
    writeFileSync(join(shop, "head.json"), results(`ffffffffff${"p".repeat(10)}`));
    const action = join(shop, ".github/devflow");
    mkdirSync(join(action, "ci"), { recursive: true });
    cpSync(join(root, "action.yml"), join(action, "action.yml"));
    cpSync(join(root, "ci/evals.sh"), join(action, "ci/evals.sh"));
    mkdirSync(join(shop, ".github/workflows"));
    writeFileSync(join(shop, ".github/workflows/evals.yml"), workflow(await makeRelease()));
    await git(["add", "."], { cwd: shop, env });
    await git(["commit", "--quiet", "-m", "Shorter prompt"], { cwd: shop, env });
    head = (await git(["rev-parse", "HEAD"], { cwd: shop, env })).stdout.trim();
    writeFileSync(
      join(runner.path, "event.json"),
      JSON.stringify({
        pull_request: { number: 7, head: { sha: head, ref: "shorter-prompt" }, base: { ref: "main" } },
      }),
    );
  }, 120_000);
  afterAll(async () => {
    await team?.stop();
    await forge?.stop();
  }, 60_000);

  /** A release whose executable is this source. */
  async function makeRelease(): Promise<string> {
    const { platform, arch } = process;
    const name = `devflow-9.9.9-${platform}-${arch}`;
    const release = join(runner.path, "release");
    mkdirSync(join(release, name), { recursive: true });
    const program = join(release, name, "devflow");
    writeFileSync(
      program,
      `#!/bin/sh\nexec ${devflowCommand()
        .map((word) => `'${word}'`)
        .join(" ")} "$@"\n`,
    );
    chmodSync(program, 0o755);
    await runProcess(["tar", "-czf", `${name}.tar.gz`, name], { cwd: release, env: { PATH: process.env.PATH ?? "" } });
    const bytes = readFileSync(join(release, `${name}.tar.gz`));
    writeFileSync(join(release, "SHA256SUMS"), `${hashBytes(bytes)}  ${name}.tar.gz\n`);
    return release;
  }

  const workflow = (release: string) => `
on: pull_request
jobs:
  evals:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: ./.github/devflow
        with:
          files: head.json
          release: ${release}
          server: ${team.url}
          token: \${{ secrets.DEVFLOW_ACCESS_TOKEN }}
          github-token: gh-token
`;

  const runAction = () =>
    runProcess(
      [
        ...[
          join(act ?? "", "act"),
          "pull_request",
          "--eventpath",
          join(runner.path, "event.json"),
          "-P",
          "ubuntu-latest=-self-hosted",
        ],
        ...[
          "--secret",
          `DEVFLOW_ACCESS_TOKEN=${token}`,
          "--env",
          "GH_HOST=github.localhost",
          "--env",
          "GH_REPO=github.localhost/acme/shop",
        ],
        ...Object.entries({ ...forge.proxied, NO_PROXY: "127.0.0.1", DEVFLOW_HOME: runner.devflowHome }).flatMap(
          ([name, value]) => ["--env", `${name}=${value}`],
        ),
      ],
      { cwd: shop, env: { ...runner.environment(), PATH: `${gh}:${process.env.PATH}` }, timeoutMs: 240_000 },
    );

  test("installs, pushes to the team, comments once, sets a check, and fails the job because it got worse", async () => {
    const ran = await runAction();
    // Not by its last line: act may lose what a step prints just before it ends.
    expect(ran.code).toBe(1);
    expect(ran.stdout + ran.stderr).not.toContain(token);
    expect(forge.comments.map(({ pull, body }) => [pull, body.split("\n")[0], body.split("\n")[1]])).toEqual([
      [7, "<!-- devflow-eval-compare evals -->", "### Evals: regression"],
    ]);
    expect(forge.checks.map(({ output, ...check }) => ({ ...check, title: output.title }))).toMatchObject([
      { name: "evals", head_sha: head, conclusion: "failure", title: "regression" },
    ]);
    expect(forge.checks[0]?.output.summary).toContain("10 cases broke");
    const rows = await team.admin`select git_sha, failed, complete_at is not null as complete from app.eval_runs`;
    expect(rows.map((row) => ({ ...row }))).toEqual([{ git_sha: head, failed: 10, complete: true }]);
  }, 300_000);

  test("a second run replaces the comment, and stores the results once", async () => {
    await runAction();
    expect([forge.comments.length, forge.checks.length]).toEqual([1, 2]);
    expect(await team.admin`select from app.eval_runs`).toHaveLength(1);
  }, 300_000);

  test("an archive that is not what its checksum says is not installed", async () => {
    const sums = join(runner.path, "release/SHA256SUMS");
    const before = readFileSync(sums, "utf8");
    writeFileSync(sums, before.replace(/^[0-9a-f]{8}/, "00000000"));
    const ran = await runAction();
    writeFileSync(sums, before);
    expect([ran.code, forge.checks.length]).toEqual([1, 2]);
  }, 300_000);
});
