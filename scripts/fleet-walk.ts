/**
 * A run of development-parallel@1 on a fleet, as a person goes through it: three workers with homes of their own, six lanes over
 * them by Claude Code, reviews by Codex, their models scripted. One worker is killed in the middle. Only Devflow's own commands and
 * its web app are used.
 *
 *   bun scripts/fleet-walk.ts [folder]     screenshots go to this folder, by default .cache/fleet-walk
 *
 * The web app has to be built (`npm run setup`). Needs Chromium, the Temporal server of the tests, and the agents, which npm installs.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { connectAsAdmin } from "@devflow/db";
import { startPostgres } from "@devflow/db/postgres";
import { initRepository } from "@devflow/git";
import { fakeAnswer } from "@devflow/session/testing";
import {
  agentsOrSkip,
  claudeHome,
  codexHome,
  devflowCommand,
  postgresFolder,
  quietLog,
  startScriptedModel,
} from "@devflow/testkit";
import { startTemporal } from "@devflow/testkit/temporal-server";
import { launchChromium, type Page, waitUntilLive, wide } from "@devflow/web/chromium";

const pictures = resolve(process.argv[2] ?? join(import.meta.dirname, "../.cache/fleet-walk"));
mkdirSync(pictures, { recursive: true });

const agents = await agentsOrSkip();
if (!agents) throw new Error("Claude Code and Codex are needed; npm installs them when it is connected");

/** What the agents' models say. */
const languages = { german: "Hallo", french: "Bonjour", spanish: "Hola", italian: "Ciao", dutch: "Hoi" };
const tasks = [
  ...Object.keys(languages).map((id) => ({
    ...{ id, title: `Greet in ${id[0]?.toUpperCase()}${id.slice(1)}`, dependsOn: [] },
    ...{
      instructions: `Add greetings/${id}.js and its test.`,
      writeSet: [`greetings/${id}.js`, `greetings/${id}.test.js`],
    },
    tests: [`greetings/${id}.test.js`],
  })),
  {
    ...{ id: "index", title: "Choose the language", dependsOn: Object.keys(languages) },
    ...{ instructions: "Export every greeting by its language.", writeSet: ["greet.js", "greet.test.js"] },
    tests: ["greet.test.js"],
  },
];
const asked = { phaseKey: "", roleId: "", attempt: 1, findings: [] };
const spec = JSON.stringify(fakeAnswer({ ...asked, expectedSchema: "dev/spec@1" }));
const report = (summary: string, files: readonly string[], noChange = false) =>
  JSON.stringify({
    ...{ summary, noChange, testsAdded: [], notes: [] },
    files: files.map((path) => ({ path, change: "added" })),
  });
const review = (reviewer: string) =>
  JSON.stringify({ reviewer, summary: "Read completely, tests run; nothing blocks.", findings: [] });
const testOf = (file: string, from: string, check: string) =>
  `import assert from "node:assert/strict";\nimport test from "node:test";\nimport { ${from} } from "./${file}";\n\ntest("greets", () => ${check});\n`;

const at = (phase: string) => `/Phase: ${phase}\\n[\\s\\S]*Expected artifact: (?<artifact>\\S+)/`;
const inLane = (task: string) =>
  `/Phase: implement\\n[\\s\\S]*Expected artifact: (?<artifact>\\S+)[\\s\\S]*This is the task ${task} of/`;
const write = (path: string, content: string) => ({ name: "Write", arguments: { file_path: path, content } });
const shell = (path: string, content: string) => ({
  name: "exec_command",
  arguments: { cmd: `cat > ${path} <<'EOF'\n${content}\nEOF` },
});
const usage = { input: 12_000, output: 900, cacheRead: 8_000 };
const says = (text: string) => ({ match: { toolResult: true }, times: 50, answer: { text, usage } });
const once = (task: string, files: Readonly<Record<string, string>>) => ({
  match: { userText: inLane(task), toolResult: false },
  answer: {
    text: [{ text: "I write the test first.\n" }, { text: "Now the code.", afterMs: 8_000 }],
    tools: [
      ...Object.entries(files).map(([path, content]) => write(path, content)),
      write("$<artifact>", report(`The task ${task} is done.`, Object.keys(files))),
    ],
    usage,
  },
});
const ofLanguage = (task: string, word: string) =>
  once(task, {
    [`greetings/${task}.js`]: `export const ${task} = (name) => \`${word}, \${name}!\`;\n`,
    [`greetings/${task}.test.js`]: testOf(`${task}.js`, task, `assert.equal(${task}("Ada"), "${word}, Ada!")`),
  });
const names = Object.keys(languages);
const index = once("index", {
  "greet.js": `${names.map((one) => `import { ${one} } from "./greetings/${one}.js";`).join("\n")}\n\nconst greetings = { ${names.join(", ")} };\n\nexport const greet = (name, language) => greetings[language]?.(name) ?? \`Hello, \${name}!\`;\n`,
  "greet.test.js": testOf("greet.js", "greet", 'assert.equal(greet("Ada", "dutch"), "Hoi, Ada!")'),
});

const model = await startScriptedModel({
  sessions: [
    {
      name: "architect",
      when: { firstUserText: "working as architect" },
      steps: [
        { match: { userText: at("spec"), toolResult: false }, answer: { tools: [write("$<artifact>", spec)], usage } },
        {
          match: { userText: at("tasks"), toolResult: false },
          answer: { tools: [write("$<artifact>", JSON.stringify({ tasks }))], usage },
        },
        says("It is written."),
      ],
    },
    {
      name: "coder",
      each: "conversation",
      when: { firstUserText: "working as coder" },
      steps: [
        ...Object.entries(languages).map(([task, word]) => ofLanguage(task, word)),
        index,
        {
          match: { userText: at("integrate"), toolResult: false },
          answer: { tools: [write("$<artifact>", report("Everything fits together.", [], true))], usage },
        },
        says("Done."),
      ],
    },
    ...[shell, write].map((how, number) => ({
      name: `reviewer ${number}`,
      when: { firstUserText: `working as reviewer#${number}` },
      steps: [
        {
          match: { userText: at("review"), toolResult: false },
          answer: { tools: [how("$<artifact>", review(`reviewer#${number}`))], usage },
        },
        says("Reviewed."),
      ],
    })),
  ],
});

const temporal = await startTemporal();
const place = await postgresFolder();
const postgres = await startPostgres({ folder: place.folder, choice: "auto", testing: true, log: quietLog });
const folder = mkdtempSync(join(tmpdir(), "dff-"));
const repository = join(folder, "greet");
const remote = join(folder, "greet.git");
const { host, port, user, password } = postgres.admin;
const urlFor = (name: string, secret: string) =>
  `postgres://${name}:${encodeURIComponent(secret)}@localhost:${port}/devflow?host=${encodeURIComponent(host)}`;
await connectAsAdmin(postgres.admin, "postgres").unsafe("create database devflow");

const common: Record<string, string> = {
  PATH: [agents.claude.binFolder, agents.codex.binFolder, process.env.PATH].join(":"),
  ...{ DEVFLOW_ENGINE: "temporal", DEVFLOW_TEMPORAL_ADDRESS: temporal.address, TERM: "xterm-256color", USER: "ada" },
  ...{ DEVFLOW_PASS_ENVIRONMENT: "SCRIPTED_MODEL_KEY", DEVFLOW_LOG_LEVEL: "warn" },
};
const withAgents = () => ({ ...codexHome({ model }).env, ...claudeHome({ model }).env, ...common });
const env: Record<string, string> = {
  ...withAgents(),
  ...{ DEVFLOW_HOME: join(folder, ".devflow"), DEVFLOW_PORT: "0" },
  DEVFLOW_DATABASE_URL: urlFor(user, password.reveal()),
};
await initRepository(repository, {
  files: {
    "README.md": "# Greet\n",
    "package.json": '{ "type": "module" }\n',
    "greet.js": 'export const greet = (name) => "Hello, " + name + "!";\n',
    "greet.test.js": testOf("greet.js", "greet", 'assert.equal(greet("Ada"), "Hello, Ada!")'),
    ".devflow.json": `${JSON.stringify({ test: [["node", "--test"]] }, null, 2)}\n`,
  },
  message: "Greet",
  env,
});
execFileSync("git", ["clone", "--quiet", "--bare", repository, remote], { env });
execFileSync("git", ["remote", "add", "origin", remote], { cwd: repository, env });

const program = devflowCommand();
/** Not in the foreground: the model answers in this process. */
async function devflow(...words: string[]): Promise<string> {
  const { stdout: said } = await promisify(execFile)(program[0] ?? "", [...program.slice(1), ...words], {
    ...{ cwd: repository, env, encoding: "utf8" as const },
  });
  process.stdout.write(`$ devflow ${words.join(" ")}\n${said}\n`);
  return said;
}
const json = async <T>(...words: string[]): Promise<T> => JSON.parse(await devflow(...words, "--json")) as T;

const workers = new Map<string, ChildProcess>();
async function startWorker(name: string, token: string): Promise<void> {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "machine-id"), `${name}\n`, { mode: 0o600 });
  const started = spawn(process.execPath, [join(import.meta.dirname, "../apps/worker/src/main.ts")], {
    env: {
      ...withAgents(),
      ...{ DEVFLOW_HOME: home, DEVFLOW_DATABASE_URL: urlFor("devflow_worker", "walk"), DEVFLOW_WORKER_TOKEN: token },
      ...{ DEVFLOW_WORKER_LABELS: "build", DEVFLOW_MAX_CONCURRENT_RUNS: "2" },
      ...{ DEVFLOW_WORKER_BEAT_SECONDS: "1", DEVFLOW_WORKER_SUSPECT_SECONDS: "3", DEVFLOW_WORKER_LOST_SECONDS: "6" },
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  workers.set(name, started);
  await new Promise<void>((done, failed) => {
    started.stdout?.on("data", (text: Buffer) => text.includes("drives runs on") && done());
    started.once("exit", () => failed(new Error(`${name} ended`)));
  });
}

let taken = 0;
async function picture(page: Page, name: string, whole = false): Promise<void> {
  taken += 1;
  const path = join(pictures, `${String(taken).padStart(2, "0")}-${name}.png`);
  await page.screenshot({ path, fullPage: whole });
  process.stdout.write(`${path}\n`);
}

interface Lanes {
  readonly tasks: readonly {
    id: string;
    state: string;
    lane: { runId: string; host: string; questions: number } | null;
  }[];
}

const browser = await launchChromium({ isWhole: true });
const begin = Date.now();
try {
  await devflow("up", "-d");
  await connectAsAdmin(postgres.admin, "devflow").unsafe("alter role devflow_worker login password 'walk'");
  for (const name of ["build-1", "build-2", "build-3"]) {
    const { token } = await json<{ token: string }>("team", "token", "create", name, "--scope", "worker");
    await startWorker(name, token);
  }
  await devflow("fleet", "list");
  await devflow("fleet", "check");
  const words = ["--template", "development-parallel@1", "--on", "build"];
  const { runId } = await json<{ runId: string }>("run", "start", "Greet in five languages", ...words);
  const page = await browser.newPage({ viewport: wide, reducedMotion: "reduce" });
  await page.goto((await devflow("open", "--print")).trim());
  await waitUntilLive(page);
  const { origin } = new URL(page.url());
  const goTo = async (path: string) => {
    await page.goto(`${origin}${path}`);
    await waitUntilLive(page);
  };
  const gate = page.locator('[data-gate-state="pending"]');
  await goTo(`/runs/${runId}`);
  await gate.waitFor({ timeout: 120_000 });
  await picture(page, "plan-gate");
  await gate.getByRole("button", { name: "Approve" }).click();

  await page.locator('[data-task-state="working"]').nth(3).waitFor({ timeout: 60_000 });
  const { tasks: now } = await json<Lanes>("run", "lanes", runId);
  const busy = now.filter((one) => one.state === "working");
  await picture(page, "four-lanes");
  await goTo("/fleet");
  await picture(page, "fleet-at-work");
  const { host: own } = await json<{ host: string }>("run", "show", runId);
  const victim = busy.find((one) => one.lane && one.lane.host !== own)?.lane?.host ?? "";
  process.stdout.write(`killing ${victim}, which has a lane of the run on ${own}\n`);
  workers.get(victim)?.kill("SIGKILL");
  await page.getByText("has not been heard of").first().waitFor({ timeout: 60_000 });
  await picture(page, "fleet-with-a-silent-machine");

  // Every lane of the lost machine asks; each answer moves it.
  await goTo("/approvals");
  await gate.first().waitFor({ timeout: 60_000 });
  await picture(page, "lost-machine");
  const { tasks: asking } = await json<Lanes>("run", "lanes", runId);
  for (const { lane } of asking) if (lane && lane.questions > 0) await devflow("run", "approve", lane.runId);
  await goTo(`/runs/${runId}`);
  await picture(page, "after-the-answer");
  await page.locator('[data-task="index"][data-task-state="working"]').waitFor({ timeout: 60_000 });
  await devflow("run", "lanes", runId);
  await picture(page, "last-lane");
  await gate.waitFor({ timeout: 240_000 });
  await picture(page, "ship-gate", true);
  await goTo(`/runs/${runId}?tab=diff`);
  await picture(page, "diff");
  await gate.getByRole("button", { name: "Approve" }).click();
  await page.locator('[data-run-state="completed"]').waitFor({ timeout: 120_000 });
  await goTo(`/runs/${runId}`);
  await picture(page, "completed", true);
  await page.setViewportSize({ width: 390, height: 844 });
  await picture(page, "completed-on-a-phone", true);
  await devflow("run", "lanes", runId);
  await devflow("run", "watch", runId);
  await devflow("run", "verify", runId);
  await devflow("run", "cleanup", runId);
  await devflow("fleet", "list");
  process.stdout.write(`${Math.round((Date.now() - begin) / 1_000)} s\n`);
} catch (error) {
  const { runs } = await json<{ runs: { id: string }[] }>("run", "list", "--lanes");
  for (const { id } of runs) {
    await devflow("run", "show", id);
    await devflow("run", "logs", id).catch(() => undefined);
  }
  throw error;
} finally {
  await browser.close();
  for (const one of workers.values()) one.kill("SIGTERM");
  await devflow("down", "--force");
  await temporal.stop();
  await postgres.stop({ evenIfInUse: true });
  await place.remove();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
}
