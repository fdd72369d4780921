import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProcess, temporaryFolder, temporaryHome } from "../index.ts";
import { AgentsUnavailable, agentsOrSkip, installAgent } from "./install-agents.ts";
import { pinnedAgents } from "./pinned-agents.ts";

const agents = await agentsOrSkip();
const home = temporaryHome();
const module = fileURLToPath(new URL("./install-agents.ts", import.meta.url));

/** An unreachable registry, and an npm that has never downloaded anything. */
const offline = () => ({
  ...process.env,
  npm_config_registry: "http://127.0.0.1:1/",
  npm_config_cache: temporaryFolder("npm"),
});

describe.skipIf(!agents)("installed agents", () => {
  test("are the pinned versions and run without anything else", async () => {
    const versions = await Promise.all(
      [agents?.claude, agents?.codex].map(async (agent) => {
        const { stdout } = await runProcess([agent?.executable ?? "", "--version"], { env: home.environment() });
        return stdout.trim();
      }),
    );
    expect(versions).toEqual([
      `${pinnedAgents.claude.version} (Claude Code)`,
      `codex-cli ${pinnedAgents.codex.version}`,
    ]);
  });

  test("are found on a PATH that has their folder", async () => {
    const folders = [agents?.claude.binFolder, agents?.codex.binFolder];
    const env = home.environment({ PATH: [...folders, process.env.PATH].join(":") });
    const { stdout } = await runProcess(["/bin/sh", "-c", "claude --version; codex --version"], { env });
    expect(stdout).toBe(`${pinnedAgents.claude.version} (Claude Code)\ncodex-cli ${pinnedAgents.codex.version}\n`);
  });

  test("two test files that start together install once, and what a killed install left is removed", async () => {
    const folder = temporaryFolder("agents");
    mkdirSync(join(folder, ".claude-left-by-a-killed-install"));
    const script = `import { installAgent } from ${JSON.stringify(module)};
      const { executable } = await installAgent("claude", { folder: ${JSON.stringify(folder)} });
      console.log(executable);`;
    const env = home.environment({
      DEVFLOW_TEST_USER_HOME: process.env.DEVFLOW_TEST_USER_HOME ?? process.env.HOME ?? "",
    });
    const both = [1, 2].map(() => runProcess([process.execPath, "-e", script], { env, timeoutMs: 120_000 }));
    const printed = (await Promise.all(both)).map(({ stdout }) => stdout.trim());
    expect(printed[0]).toStartWith(join(folder, `claude@${pinnedAgents.claude.version}`));
    expect(printed[1]).toBe(printed[0] ?? "");
    expect(readdirSync(folder).sort()).toEqual([".claude.lock", `claude@${pinnedAgents.claude.version}`]);
  }, 120_000);
});

describe("a machine without network", () => {
  test("gets a message with what to do, and nothing half-installed", async () => {
    const folder = temporaryFolder("agents");
    const failed = await installAgent("codex", { folder, env: offline() }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(AgentsUnavailable);
    expect((failed as Error).message).toBe(
      "npm could not reach its registry to install @openai/codex@0.166.0. " +
        "Tests with real agents need it once: connect, then run the tests again.",
    );
    expect(readdirSync(folder)).toEqual([".codex.lock"]);
  }, 30_000);

  test("skips the tests with the reason, and fails them with CI=true", async () => {
    const script = `import { agentsOrSkip } from ${JSON.stringify(module)};
      console.log(await agentsOrSkip({ folder: ${JSON.stringify(temporaryFolder("agents"))} }));`;
    const { npm_config_cache, npm_config_registry } = offline();
    const run = (extra: Record<string, string>) =>
      runProcess([process.execPath, "-e", script], {
        env: home.environment({ npm_config_cache, npm_config_registry, ...extra }),
      });
    const [skipped, failed] = await Promise.all([run({}), run({ CI: "true" })]);
    expect({ code: skipped?.code, stdout: skipped?.stdout }).toEqual({ code: 0, stdout: "undefined\n" });
    expect(skipped?.stderr).toContain("SKIPPED tests with the real Claude Code and Codex: npm could not reach");
    expect(failed?.code).toBe(1);
    expect(failed?.stderr).toContain("must run here (CI=true), but: npm could not reach");
  }, 30_000);
});
