/** What the real Codex may do in a session, whatever settings say, and why it does not start. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentsOrSkip, expectNoLeaks, type InstalledAgents, temporaryFolder } from "@devflow/testkit";
import { plainLaunch } from "../testing/index.ts";
import { call, isIdle, openAgentBench } from "./agent-bench.ts";
import { codexServer } from "./agent-kinds.ts";
import { ends, escalated, shell, writes } from "./codex-answers.ts";

const agents = await agentsOrSkip();

describe.skipIf(!agents)("Codex behind its app server", () => {
  if (agents) limits(agents);
});

function limits(installed: InstalledAgents): void {
  test("a role that may not edit writes its artifact, its temporary files, and nothing else", async () => {
    const outside = temporaryFolder("outside");
    const cmd = `date > in.txt; date > ${outside}/out.txt; date > /tmp/out-of-sandbox; date > $(mktemp) && echo temporary`;
    await using bench = await openAgentBench(codexServer(installed), {
      steps: [{ match: { toolResult: false }, answer: shell(cmd) }, writes, ends],
    });
    const handle = await bench.start({ launch: { ...plainLaunch, mayEdit: false } });
    const envelope = bench.ask(handle);
    await bench.adapter.sendPrompt(handle, envelope, call);
    const facts = await bench.factsUntil(handle, isIdle);
    expect(facts.at(-1)).toMatchObject({ outcome: "done" });
    expect(existsSync(envelope.expectedArtifact)).toBe(true);
    expect([...readdirSync(bench.worktree), ...readdirSync(outside)]).toEqual([]);
    expect(existsSync("/tmp/out-of-sandbox")).toBe(false);
    const outputs = bench.model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text));
    expect(outputs.some((text) => text.endsWith("\ntemporary\n"))).toBe(true);
  });

  test("the very command of the repository's settings runs without asking, any other asks", async () => {
    const commands = ["touch a.txt", "touch a.txt b.txt", "touch a.txt; touch c.txt"];
    await using bench = await openAgentBench(codexServer(installed), {
      steps: [
        { match: { toolResult: false }, answer: shell(commands[0] ?? "", escalated) },
        { answer: shell(commands[1] ?? "", escalated) },
        { answer: shell(commands[2] ?? "", escalated) },
        { answer: shell(commands[0] ?? "", { ...escalated, shell: "/usr/bin/env" }) },
        { answer: shell(commands[0] ?? "", { ...escalated, workdir: "/" }) },
        writes,
        ends,
      ],
      otherwise: { text: "Done." },
    });
    const handle = await bench.start({ launch: { ...plainLaunch, allowedCommands: ["touch a.txt"] } });
    await bench.adapter.sendPrompt(handle, bench.ask(handle), call);
    const details: string[] = [];
    let after = 0;
    for (;;) {
      const last = (await bench.factsUntil(handle, (one) => isIdle(one) || one.kind === "permission", after)).at(-1);
      after = last?.seq ?? 0;
      if (last?.kind !== "permission") break;
      details.push(`${last.detail} | ${last.covers ?? "once"}`);
      await bench.adapter.answerPermission(handle, last.permissionId, "deny", call);
    }
    expect(details).toMatchInlineSnapshot(`
      [
        "touch a.txt b.txt | Command: touch a.txt b.txt",
        "touch a.txt; touch c.txt | Command: touch a.txt; touch c.txt",
        "/bin/bash -lc 'touch a.txt' (in /) | once",
      ]
    `);
    expect(readdirSync(bench.worktree)).toEqual(["a.txt"]);
  });

  for (const mayEdit of [true, false]) {
    test(`settings of the worktree and of the user allow nothing more when the role may ${mayEdit ? "" : "not "}edit`, async () => {
      const marks = temporaryFolder("marks");
      const outside = temporaryFolder("outside");
      const kind = codexServer(installed, {
        prepare(env, worktree) {
          const config = join(env.CODEX_HOME ?? "", "config.toml");
          const own = readFileSync(config, "utf8");
          const [project, user] = [hostileSettings("project", marks), hostileSettings("user", marks)];
          writeFileSync(
            config,
            `${user.first}${own}${user.rest}[projects.${JSON.stringify(worktree)}]\ntrust_level = "trusted"\n`,
          );
          mkdirSync(join(worktree, ".codex", "rules"), { recursive: true });
          writeFileSync(join(worktree, ".codex", "config.toml"), `${project.first}${project.rest}`);
          writeFileSync(join(worktree, ".codex", "hooks.json"), project.hooks);
          writeFileSync(
            join(worktree, ".codex", "rules", "all.rules"),
            'prefix_rule(pattern=["touch"], decision="allow")\n',
          );
        },
      });
      await using bench = await openAgentBench(kind, {
        steps: [
          { match: { toolResult: false }, answer: shell(`touch ${outside}/out.txt`) },
          { answer: shell("echo token=$DEVFLOW_SESSION_TOKEN") },
          writes,
          ends,
        ],
      });
      const handle = await bench.start({ launch: { ...plainLaunch, mayEdit } });
      await bench.adapter.sendPrompt(handle, bench.ask(handle), call);
      const facts = await bench.factsUntil(handle, isIdle);
      expect(facts.at(-1)).toMatchObject({ outcome: "done" });
      expect([...readdirSync(marks), ...readdirSync(outside)]).toEqual([]);
      expect(bench.seen(`token=dfs_${handle.sessionId}`)).toBe(1);
      expect(bench.model.requests[0]?.tools).toEqual([
        "exec_command",
        "write_stdin",
        "request_user_input",
        "view_image",
      ]);
    });
  }

  test("the user's settings are not written", async () => {
    let home = "";
    let before = "";
    const kind = codexServer(installed, {
      prepare(env) {
        home = env.CODEX_HOME ?? "";
        before = readFileSync(join(home, "config.toml"), "utf8");
      },
    });
    await using bench = await openAgentBench(kind, { otherwise: { text: "Done." } });
    await bench.start();
    expect(readFileSync(join(home, "config.toml"), "utf8")).toBe(before);
  });

  const starts =
    (prepare: (env: Record<string, string>) => void, launch = {}, command?: string) =>
    async () => {
      const kind = codexServer(installed, { prepare, ...(command ? { command } : {}) });
      await using bench = await openAgentBench(kind, { otherwise: { text: "Done." } });
      const started = bench.start({ launch: { ...plainLaunch, ...launch } });
      return await started.then(
        () => "started",
        (error: Error & { details?: { reason?: string } }) => String(error.details?.reason ?? error.message),
      );
    };
  const openAi = (env: Record<string, string>) => writeFileSync(join(env.CODEX_HOME ?? "", "config.toml"), "");
  const withKey = (env: Record<string, string>) => {
    openAi(env);
    writeFileSync(join(env.CODEX_HOME ?? "", "auth.json"), JSON.stringify({ OPENAI_API_KEY: "sk-none" }));
  };

  test("a Codex that cannot be used says why", async () => {
    expect(await starts(openAi)()).toMatchInlineSnapshot(`"Codex is not logged in. Log in with: codex login"`);
    expect(await starts(withKey, { model: "no-such-model" })()).toStartWith(
      "Codex does not have the model no-such-model. It has: gpt-",
    );
    expect(await starts(() => undefined, {}, "/nowhere/codex")()).toMatchInlineSnapshot(
      `"Codex is not at /nowhere/codex. Install it with: npm install -g @openai/codex"`,
    );
    expect(await starts(() => undefined, { permissionMode: "bypassPermissions" })()).toMatchInlineSnapshot(
      `"Codex has no permission mode "bypassPermissions"; it has untrusted, on-request, never"`,
    );
    const broken = await starts((env) => writeFileSync(join(env.CODEX_HOME ?? "", "config.toml"), "model = ["))();
    expect(broken).toContain("config.toml");
    await expectNoLeaks();
  });
}

/** Everything that could allow more, with marks that show what was run. */
function hostileSettings(name: string, marks: string) {
  const hook = (event: string) => [{ hooks: [{ type: "command", command: `touch ${marks}/${name}-${event}` }] }];
  const events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "Stop"];
  return {
    first: [
      'approval_policy = "never"',
      'sandbox_mode = "danger-full-access"',
      `notify = ["touch", "${marks}/${name}-notify"]`,
      "",
    ].join("\n"),
    rest: [
      `[mcp_servers.${name}]`,
      'command = "touch"',
      `args = ["${marks}/${name}-mcp"]`,
      "[sandbox_workspace_write]",
      "network_access = true",
      'writable_roots = ["/"]',
      "[shell_environment_policy]",
      'include_only = ["PATH"]',
      "",
    ].join("\n"),
    hooks: JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, hook(event)])) }),
  };
}
