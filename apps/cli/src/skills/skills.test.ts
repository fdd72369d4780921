import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputOf, runCli, runProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";

test("skills are listed, shown, installed for an agent and removed again", async () => {
  const home = temporaryHome();
  const list = await runCli(["skills", "list", "--json"], { home });
  const names = list.json<{ name: string; installed: string[] }[]>().map(({ name }) => name);
  expect(names).toContain("browse");
  expect((await runCli(["skills", "show", "/browse"], { home })).stdout).toStartWith("---\nname: browse\n");

  const installed = await runCli(["skills", "install", "--host", "claude"], { home });
  expect(outputOf(installed)).toMatchInlineSnapshot(`
    "Claude Code in <folder>/.claude/skills: installed benchmark, browse, canary, qa, qa-only
    Restart it to load them, then type /browse, or ask it to open a page."
  `);
  expect(readFileSync(join(home.path, ".claude/skills/browse/SKILL.md"), "utf8")).toContain("devflow browse snapshot");
  const after = (await runCli(["skills", "list", "--json"], { home })).json<{ name: string; installed: string[] }[]>();
  expect(after.find(({ name }) => name === "browse")?.installed).toEqual(["claude"]);

  expect(outputOf(await runCli(["skills", "remove", "--host", "claude"], { home }))).toMatchInlineSnapshot(
    `"<folder>/.claude/skills: removed benchmark, browse, canary, qa, qa-only"`,
  );
  expect(existsSync(join(home.path, ".claude/skills/browse"))).toBe(false);
});

test("a skill of the same name that Devflow did not make stays, and the message names the next command", async () => {
  const home = temporaryHome();
  const folder = join(home.path, "moved");
  const env = { CLAUDE_CONFIG_DIR: folder };
  await runProcess(["sh", "-c", `mkdir -p ${folder}/skills/qa && echo mine > ${folder}/skills/qa/SKILL.md`], {
    env: home.environment(),
  });
  expect(outputOf(await runCli(["skills", "install", "--host", "claude"], { home, env }))).toMatchInlineSnapshot(`
    "Claude Code in <folder>/moved/skills: installed benchmark, browse, canary, qa-only; refused qa
    Restart it to load them, then type /browse, or ask it to open a page.
    --- stderr
    Left alone because Devflow did not make them: qa. To replace them: devflow skills install --host claude --force
    --- exit code 75"
  `);
  expect(readFileSync(join(folder, "skills/qa/SKILL.md"), "utf8")).toBe("mine\n");
  expect(existsSync(join(folder, "skills/browse/SKILL.md"))).toBe(true);
});

test("a repository gets the files themselves; outside a repository --project fails", async () => {
  const home = temporaryHome();
  const cwd = temporaryFolder("repo");
  const outside = await runCli(["skills", "install", "--host", "codex", "--project"], { home, cwd });
  expect(outputOf(outside)).toMatchInlineSnapshot(`
    "--- stderr
    <folder> is not in a git repository.
    Change to one, or install for yourself: devflow skills install --host codex
    --- exit code 65"
  `);
  await runProcess(["git", "init", "-q"], { cwd, env: home.environment() });
  expect((await runCli(["skills", "install", "--host", "codex", "--project"], { home, cwd })).code).toBe(0);
  expect(readFileSync(join(cwd, ".agents/skills/qa/SKILL.md"), "utf8")).toContain("name: qa");
});

test("the preamble mentions a newer release, unless update checks are off", async () => {
  const home = temporaryHome();
  await runCli(["skills", "preamble"], { home });
  const mentions = async (offered: string, env: Record<string, string> = {}) => {
    writeFileSync(join(home.devflowHome, "offered-release"), offered);
    return (await runCli(["skills", "preamble"], { home, env })).stdout.includes("devflow upgrade");
  };
  const mentioned = [await mentions("999.0.0"), await mentions("0.0.1"), await mentions("$(rm -rf /)")];
  expect([...mentioned, await mentions("999.0.0", { DEVFLOW_UPDATE_CHECK: "false" })]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test("the preamble prints where the agent is and records the use in a local log", async () => {
  const home = temporaryHome();
  const { code, stdout } = await runCli(["skills", "preamble", "qa"], { home });
  expect(code).toBe(0);
  expect(stdout).toStartWith("devflow ");
  const log = readFileSync(join(home.devflowHome, "log/skill-use.jsonl"), "utf8");
  expect(JSON.parse(log)).toMatchObject({ skill: "qa" });
});
