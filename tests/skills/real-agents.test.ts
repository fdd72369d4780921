/** Tier 2: the real agents find Devflow's skills and work by them, against a scripted model. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  agentsOrSkip,
  canRun,
  claudeHome,
  codexHome,
  devflowCommand,
  lackOfProgram,
  runProcess,
  type ScenarioInput,
  startScriptedModel,
  temporaryFolder,
} from "@devflow/testkit";

const agents = await agentsOrSkip();
const hasChromium = await canRun("skills that drive a browser", () =>
  lackOfProgram("/usr/bin/chromium", "--version", "apt-get install chromium"),
);
const timeoutMs = 300_000;

/** A folder for PATH with `devflow` in it, as an installation would give. */
const bin = temporaryFolder("bin");
const words = devflowCommand().map((word) => `'${word}'`);
writeFileSync(join(bin, "devflow"), `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
chmodSync(join(bin, "devflow"), 0o755);

let site: Server;
let url = "";
beforeAll(async () => {
  const page = `<!doctype html><title>Shop</title><label>Name <input id=n></label>
    <button onclick="document.querySelector('p').textContent = 'Saved ' + n.value">Save</button><p></p>`;
  site = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(page);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
});
afterAll(() => {
  site.closeAllConnections();
  site.close();
});

type Steps = NonNullable<ScenarioInput["steps"]>;
const bash = (command: string) => ({
  answer: { tools: [{ name: "Bash", arguments: { command, description: "as the skill says" } }] },
});

interface ClaudeRun {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly init: { readonly skills: readonly string[] };
  /** What the model was asked, in order. */
  readonly asked: readonly string[];
  readonly results: readonly string[];
}

/** Claude Code in a repository, with the skills installed, following the steps; the browser is ended afterwards. */
async function claude(
  prompt: string,
  steps: Steps,
  { flags = [] as string[], check }: { flags?: string[]; check: (run: ClaudeRun) => Promise<void> },
): Promise<void> {
  const folder = temporaryFolder("shop");
  await using model = await startScriptedModel({ steps, background: { text: "ok" } });
  const home = claudeHome({ model, workspace: folder });
  const env = { ...home.env, PATH: `${bin}:${home.env.PATH}` };
  const run = (argv: string[]) => runProcess(argv, { env, cwd: folder, timeoutMs: 240_000 });
  await run(["git", "init", "-q"]);
  await run(["devflow", "skills", "install", "--host", "claude"]);
  try {
    const argv = [agents?.claude.executable ?? "", "-p", prompt, "--output-format", "stream-json", "--verbose"];
    const { stdout, code } = await run([...argv, ...flags]);
    const messages = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; subtype?: string });
    const init = messages.find(({ subtype }) => subtype === "init") as unknown as ClaudeRun["init"];
    const asked = model.requests.filter(({ isBackground }) => !isBackground);
    expect(code).toBe(0);
    await check({
      folder,
      env,
      init,
      asked: asked.map(({ body }) => JSON.stringify(body)),
      results: asked.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)),
    });
    model.expectFollowed();
  } finally {
    await run(["devflow", "browse", "stop"]);
  }
}

describe.skipIf(!agents || !hasChromium)("the real Claude Code", () => {
  test(
    "finds the skills, loads /browse when it wants it, and is not asked to read more than 2 KB for it",
    async () => {
      const steps: Steps = [
        { answer: { tools: [{ name: "Skill", arguments: { skill: "browse" } }] } },
        { answer: { text: "loaded" } },
      ];
      await claude("Look at the shop in a browser", steps, {
        flags: ["--allowedTools", "Skill"],
        check: async ({ init, asked }) => {
          expect(init.skills).toEqual(expect.arrayContaining(["browse", "qa", "qa-only", "canary", "benchmark"]));
          // Before it is wanted, one line stands for it; afterwards its text.
          expect(asked[0]).toContain("Drive a real browser that stays open");
          expect(asked[0]).not.toContain("no observable effect");
          expect(asked[1]).toContain("no observable effect");
        },
      });
    },
    timeoutMs,
  );

  test(
    "drives the browser by /browse, with no other permission than the skill's own, and reads what changed",
    async () => {
      const steps: Steps = [
        bash("devflow skills preamble browse"),
        bash(`devflow browse goto ${url}`),
        bash("devflow browse snapshot -i"),
        bash('devflow browse fill @e1 "Ada"'),
        bash("devflow browse click @e2"),
        { answer: { text: "Saved Ada is shown." } },
      ];
      await claude("/browse save the name Ada in the shop", steps, {
        check: async ({ asked, results }) => {
          expect(asked[0]).toContain("devflow browse snapshot -i");
          expect(results.length).toBe(5);
          expect(results[0]).toMatch(/^devflow \d/);
          expect(results[1]).toContain('HTTP 200 "Shop"');
          expect(results[2]).toContain('@e1 textbox "Name"');
          expect(results[3]).toContain('"" → "Ada"');
          expect(results[4]).toContain('+ "Saved Ada"');
        },
      });
    },
    timeoutMs,
  );

  test(
    "tests by /qa-only: the promised report and evidence are there, and the evidence is done again",
    async () => {
      const findings = [
        { title: "The name is not kept after a reload", severity: "medium", category: "functional", url },
      ];
      const write = (folder: string) => ({
        name: "Write",
        arguments: { file_path: join(folder, "findings.json"), content: JSON.stringify(findings) },
      });
      const steps: Steps = [
        bash("devflow browse evidence start shop"),
        bash(`devflow browse goto ${url}`),
        bash("devflow browse snapshot -i"),
        bash('devflow browse fill @e1 "Ada"'),
        bash("devflow browse click @e2"),
        bash("devflow browse console"),
        bash("devflow browse reload"),
        bash("devflow browse evidence stop"),
        { answer: { tools: [write(".")] } },
        bash("devflow qa report --findings findings.json"),
        { answer: { text: "One finding." } },
      ];
      await claude("/qa-only the shop", steps, {
        check: async ({ folder, env, results }) => {
          expect(results.at(-1)).toMatch(/Health \d+; 1 open finding, 0 fixed/);
          const path = /\.devflow\/qa-reports\/\S+\.md/.exec(results.at(-1) ?? "")?.[0] ?? "";
          expect(readFileSync(join(folder, path), "utf8")).toContain("The name is not kept after a reload");
          const verified = await runProcess(["devflow", "browse", "verify"], { env, cwd: folder, timeoutMs: 120_000 });
          expect([verified.code, verified.stdout]).toEqual([
            0,
            expect.stringContaining("4 steps were replayed and went as recorded"),
          ]);
          const bundle = /(\.devflow\/evidence\/\S+) is intact/.exec(verified.stdout)?.[1] ?? "";
          expect(existsSync(join(folder, bundle, "replay.spec.ts"))).toBe(true);
        },
      });
    },
    timeoutMs,
  );
});

describe.skipIf(!agents)("the real Codex", () => {
  test(
    "finds the skills in a person's home and in a repository",
    async () => {
      for (const project of [false, true]) {
        const folder = temporaryFolder("shop");
        await using model = await startScriptedModel({ otherwise: { text: "seen" } });
        const home = codexHome({ model });
        const env = { ...home.env, PATH: `${bin}:${home.env.PATH}` };
        const run = (argv: string[]) => runProcess(argv, { env, cwd: folder, timeoutMs: 120_000 });
        await run(["git", "init", "-q"]);
        await run(["devflow", "skills", "install", "--host", "codex", ...(project ? ["--project"] : [])]);
        const { code } = await run([agents?.codex.executable ?? "", "exec", "--json", "Which skills are there?"]);
        const asked = JSON.stringify(model.requests[0]?.body);
        const isListed = asked.includes("Drive a real browser that stays open");
        const root = `${project ? folder : home.home.path}/.agents/skills`;
        expect([project, code, isListed, asked.includes(root)]).toEqual([project, 0, true, true]);
      }
    },
    timeoutMs,
  );
});
