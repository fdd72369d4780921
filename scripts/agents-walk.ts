/**
 * A whole run of development@2 with real agents, as a person goes through it: Claude Code writes, Codex reviews, their models are
 * scripted. Only Devflow's own commands and its web app are used.
 *
 *   bun scripts/agents-walk.ts [folder]     screenshots go to this folder, by default .cache/agents-walk
 *
 * The web app has to be built (`npm run setup`). Needs tmux, Chromium, and the agents, which npm installs.
 */
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { startForge } from "@devflow/forge/testing";
import { initRepository } from "@devflow/git";
import { fakeAnswer } from "@devflow/session/testing";
import { agentsOrSkip, claudeHome, codexHome, devflowCommand, startScriptedModel } from "@devflow/testkit";
import { launchChromium, type Page, waitUntilLive, wide } from "@devflow/web/chromium";

const pictures = resolve(process.argv[2] ?? join(import.meta.dirname, "../.cache/agents-walk"));
mkdirSync(pictures, { recursive: true });
const phone = { width: 390, height: 844 };

const agents = await agentsOrSkip();
if (!agents) throw new Error("Claude Code and Codex are needed; npm installs them when it is connected");

/** What the agents' models say. */
const asked = { phaseKey: "", roleId: "", attempt: 1, findings: [] };
const spec = JSON.stringify(fakeAnswer({ ...asked, expectedSchema: "dev/spec@1" }));
const plan = JSON.stringify(fakeAnswer({ ...asked, expectedSchema: "dev/phase-plan@1" }));
const report = (summary: string) =>
  JSON.stringify({
    summary,
    noChange: false,
    files: [
      { path: "greet.js", change: "modified" },
      { path: "greet.test.js", change: "modified" },
    ],
    testsAdded: ["greet.test.js: greets in the language that is asked for"],
    notes: [],
  });
const review = (reviewer: string) =>
  JSON.stringify({ reviewer, summary: "Read completely, tests run; nothing blocks.", findings: [] });
const source = (fallback: string) => `const greetings = { en: "Hello", de: "Hallo", fr: "Bonjour" };

export function greet(name, language = "en") {
  const word = ${fallback};
  return \`\${word}, \${name}!\`;
}
`;
const tests = `import assert from "node:assert/strict";
import test from "node:test";
import { greet } from "./greet.js";

test("greets in the language that is asked for", () => {
  assert.equal(greet("Ada", "de"), "Hallo, Ada!");
  assert.equal(greet("Ada", "xx"), "Hello, Ada!");
});
`;
const at = (phase: string, rest = "") => `/Phase: ${phase}\\n${rest}[\\s\\S]*Expected artifact: (?<artifact>\\S+)/`;
const write = (path: string, content: string) => ({ name: "Write", arguments: { file_path: path, content } });
const shell = (path: string, content: string) => ({
  name: "exec_command",
  arguments: { cmd: `cat > ${path} <<'EOF'\n${content}\nEOF` },
});
const bash = (command: string, description: string) => ({ name: "Bash", arguments: { command, description } });
const usage = { input: 12_000, output: 900, cacheRead: 8_000 };
const second = {
  tools: [
    write("greet.js", source("greetings[language] ?? greetings.en")),
    write("$<artifact>", report("Uses ?? for the fallback, as the comment asks.")),
  ],
  usage,
};
const says = (text: string) => ({ match: { toolResult: true }, times: 20, answer: { text, usage } });

const model = await startScriptedModel({
  sessions: [
    {
      name: "architect",
      when: { firstUserText: "working as architect" },
      steps: [
        { match: { userText: at("spec"), toolResult: false }, answer: { tools: [write("$<artifact>", spec)], usage } },
        { match: { userText: at("plan"), toolResult: false }, answer: { tools: [write("$<artifact>", plan)], usage } },
        says("It is written."),
      ],
    },
    {
      name: "coder",
      when: { firstUserText: "working as coder" },
      steps: [
        {
          match: { userText: at("implement", "Attempt: 1\\n"), toolResult: false },
          answer: {
            text: "I look at the runtime first.",
            tools: [bash("node -p process.version", "Shows the version")],
            usage,
          },
        },
        {
          match: { userText: at("implement", "Attempt: 1\\n"), toolResult: true },
          answer: {
            text: [{ text: "Now the test and the code.\n" }, { text: "Writing them.", afterMs: 4_000 }],
            tools: [
              { name: "Read", arguments: { file_path: "greet.js" } },
              { name: "Read", arguments: { file_path: "greet.test.js" } },
            ],
            usage,
          },
        },
        {
          match: { userText: at("implement", "Attempt: 1\\n"), toolResult: true },
          answer: {
            tools: [
              write("greet.js", source("greetings[language] || greetings.en")),
              write("greet.test.js", tests),
              write("$<artifact>", report("The greeting takes a language, and falls back to English.")),
            ],
            usage,
          },
        },
        { match: { userText: at("implement", "Attempt: 1\\n"), toolResult: true }, answer: { text: "Done.", usage } },
        {
          // Long instructions are in a file, and with them the person's comment.
          match: {
            userText: "/Attempt: 2\\n[\\s\\S]*Read the file (?<instructions>\\S+) and follow/",
            toolResult: false,
          },
          answer: { tools: [{ name: "Read", arguments: { file_path: "$<instructions>" } }], usage },
        },
        { match: { userText: at("implement", "Attempt: 2\\n"), toolResultText: "Use ?? here" }, answer: second },
        {
          match: { userText: `${at("implement", "Attempt: 2\\n").slice(0, -1)}[\\s\\S]*Use \\?\\? here/` },
          answer: second,
        },
        says("The comment is answered."),
      ],
    },
    {
      name: "reviewer of Codex",
      when: { firstUserText: "working as reviewer#0" },
      steps: [
        {
          match: { userText: at("review"), toolResult: false },
          times: 2,
          answer: { tools: [shell("$<artifact>", review("reviewer#0"))], usage },
        },
        says("Reviewed."),
      ],
    },
    {
      name: "reviewer of Claude Code",
      when: { firstUserText: "working as reviewer#1" },
      steps: [
        {
          match: { userText: at("review"), toolResult: false },
          times: 2,
          answer: { tools: [write("$<artifact>", review("reviewer#1"))], usage },
        },
        says("Reviewed."),
      ],
    },
  ],
});

const forge = await startForge();
await forge.addRepository("acme/greet");
const folder = mkdtempSync(join(tmpdir(), "dfw-"));
const repository = join(folder, "greet");
const env: Record<string, string> = {
  ...codexHome({ model }).env,
  ...claudeHome({ model }).env,
  PATH: [agents.claude.binFolder, agents.codex.binFolder, process.env.PATH].join(":"),
  DEVFLOW_HOME: join(folder, ".devflow"),
  DEVFLOW_PORT: "0",
  DEVFLOW_PASS_ENVIRONMENT: "SCRIPTED_MODEL_KEY",
  DEVFLOW_FORGES: `${forge.host}=gitea`,
  GITEA_TOKEN: "walk",
  TERM: "xterm-256color",
  USER: "ada",
};
await initRepository(repository, {
  files: {
    "README.md": "# Greet\n",
    "package.json": '{ "type": "module" }\n',
    "greet.js": 'export function greet(name) {\n  return "Hello, " + name + "!";\n}\n',
    "greet.test.js":
      'import assert from "node:assert/strict";\nimport test from "node:test";\nimport { greet } from "./greet.js";\n\ntest("greets", () => assert.equal(greet("Ada"), "Hello, Ada!"));\n',
    ".devflow.json": `${JSON.stringify({ test: [["node", "--test"]] }, null, 2)}\n`,
  },
  message: "Greet",
  env,
});
execFileSync("git", ["remote", "add", "origin", `${forge.url}/acme/greet.git`], { cwd: repository, env });

const program = devflowCommand();
/** Not in the foreground: the forge and the model answer in this process. */
async function devflow(...words: string[]): Promise<string> {
  const { stdout: said } = await promisify(execFile)(program[0] ?? "", [...program.slice(1), ...words], {
    cwd: repository,
    env,
    encoding: "utf8",
  });
  process.stdout.write(`$ devflow ${words.join(" ")}\n${said}\n`);
  return said;
}

let taken = 0;
async function picture(page: Page, name: string, whole = false): Promise<void> {
  taken += 1;
  const path = join(pictures, `${String(taken).padStart(2, "0")}-${name}.png`);
  await page.screenshot({ path, fullPage: whole });
  process.stdout.write(`${path}\n`);
}

const browser = await launchChromium({ isWhole: true });
try {
  await devflow("run", "start", "Greet in several languages", "--json");
  const [run] = (JSON.parse(await devflow("run", "list", "--json")) as { runs: { id: string }[] }).runs;
  const id = run?.id ?? "";
  const page = await browser.newPage({ viewport: wide, reducedMotion: "reduce" });
  await page.goto((await devflow("open", "--print")).trim());
  await waitUntilLive(page);
  const { origin } = new URL(page.url());
  const gate = page.locator('[data-gate-state="pending"]');
  const goTo = async (path: string) => {
    await page.goto(`${origin}${path}`);
    await waitUntilLive(page);
  };

  await goTo(`/runs/${id}`);
  await gate.waitFor({ timeout: 120_000 });
  await picture(page, "plan-gate");
  await gate.getByRole("button", { name: "Approve" }).click();

  // The permission, on a phone.
  await page.setViewportSize(phone);
  const panel = page.getByRole("region", { name: "Permission" });
  await panel.waitFor({ timeout: 120_000 });
  await picture(page, "permission-on-a-phone");
  await devflow("run", "list");
  const attached = attachTo(id, "coder");
  await pause(2_500);
  await panel.getByRole("button", { name: "Allow for this run" }).click();
  await panel.waitFor({ state: "detached" });
  await pause(2_500);
  await picture(page, "at-work-on-a-phone");
  await attached.detach();
  await page.setViewportSize(wide);
  await picture(page, "at-work");

  // The diff, and a comment on one of its lines.
  await gate.waitFor({ timeout: 240_000 });
  await picture(page, "ship-gate");
  await goTo(`/runs/${id}?tab=diff`);
  await page.locator("#run-tab [data-line-row]", { hasText: "greetings[language]" }).first().click();
  const dialog = page.getByRole("dialog", { name: /^Comment on / });
  await dialog.getByRole("textbox", { name: "Comment" }).fill("Use ?? here: an empty word would be a wrong greeting.");
  await picture(page, "comment");
  await dialog.getByRole("button", { name: "Add comment" }).click();
  await page.getByText("1 comment to send").waitFor();
  await picture(page, "diff-with-comment");
  await devflow("run", "comment", "list");
  await gate.getByRole("button", { name: "Request changes" }).click();
  await page.getByText("answered by attempt 2").waitFor({ timeout: 240_000 });
  await gate.waitFor({ timeout: 240_000 });
  await picture(page, "answered");
  await devflow("run", "diff", "--stat");
  await gate.getByRole("button", { name: "Approve" }).click();

  await page.locator('[data-run-state="completed"]').waitFor({ timeout: 120_000 });
  await goTo(`/runs/${id}`);
  await picture(page, "completed", true);
  await devflow("run", "show");
  await devflow("run", "report");
  await devflow("run", "pr");
  await goTo(`/runs/${id}`);
  await picture(page, "with-pull-request");
  await page.setViewportSize(phone);
  await picture(page, "completed-on-a-phone", true);
  await goTo("/runs");
  await picture(page, "runs-on-a-phone");
  writeFileSync(join(pictures, "pull-request.md"), forge.pulls[0]?.body ?? "");
  await devflow("run", "verify");
} finally {
  await browser.close();
  await devflow("down", "--force");
  await forge.stop();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
}

/** A person in a terminal of their own: `devflow attach` in it; what it showed goes into a file. */
function attachTo(id: string, role: string): { detach(): Promise<void> } {
  const seen = join(pictures, "attached.txt");
  const words = [...program, "attach", id, role].map((word) => `'${word}'`).join(" ");
  const terminal = spawn("script", ["-qec", `stty rows 40 cols 120; ${words}`, seen], {
    cwd: repository,
    env,
    stdio: ["pipe", "ignore", "inherit"],
  });
  const exited = new Promise((done) => terminal.once("exit", done));
  return {
    async detach() {
      terminal.stdin.write("\u0002d");
      await exited;
      process.stdout.write(`attached: ${readFileSync(seen).length} bytes of a terminal in ${seen}\n`);
    },
  };
}
