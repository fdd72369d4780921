/**
 * The real Claude Code and Codex, pinned, for tests: installed by npm on demand into `.cache/agents` of the project (670 MB
 * together, so no package depends on them) and kept there.
 *
 * - `installAgents()` returns or installs them; rejects with `AgentsUnavailable`, whose message ends in the next command.
 * - `agentsOrSkip()` the same for tests: undefined with the reason printed, or a failure with `CI=true`.
 *
 * An install happens in a temporary folder and is renamed, under a lock, so that a killed install leaves nothing
 * half-installed and concurrent test files install once.
 */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { copyFile, link, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { tryLock } from "@devflow/core/exclusive-lock";
import { canRun } from "../can-run.ts";

/** Claude Code is a native program: its package asks for Node 22, but nothing of it runs on Node. */
export const pinnedAgents = {
  claude: { package: "@anthropic-ai/claude-code", version: "2.1.325" },
  codex: { package: "@openai/codex", version: "0.166.0" },
} as const;
export type AgentName = keyof typeof pinnedAgents;

export interface InstalledAgent {
  readonly name: AgentName;
  readonly version: string;
  /** The native program. */
  readonly executable: string;
  /** For PATH: contains it under its plain name. */
  readonly binFolder: string;
}
export type InstalledAgents = Readonly<Record<AgentName, InstalledAgent>>;

export class AgentsUnavailable extends Error {
  override readonly name = "AgentsUnavailable";
}

interface InstallOptions {
  /** Default: `.cache/agents` of the project. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

export const projectFolder = fileURLToPath(new URL("../../../../", import.meta.url));
const agentsFolder = join(projectFolder, ".cache", "agents");

async function installAgents(options: InstallOptions = {}): Promise<InstalledAgents> {
  const [claude, codex] = [await installAgent("claude", options), await installAgent("codex", options)];
  return { claude, codex };
}

export async function agentsOrSkip(options: InstallOptions = {}): Promise<InstalledAgents | undefined> {
  let agents: InstalledAgents | undefined;
  await canRun("tests with the real Claude Code and Codex", async () => {
    try {
      agents = await installAgents(options);
      return undefined;
    } catch (error) {
      if (error instanceof AgentsUnavailable) return error.message;
      throw error;
    }
  });
  return agents;
}

export async function installAgent(name: AgentName, options: InstallOptions = {}): Promise<InstalledAgent> {
  const folder = options.folder ?? agentsFolder;
  const { version } = pinnedAgents[name];
  const place = join(folder, `${name}@${version}`);
  const found = await findInstalled(name, place);
  if (found) return found;
  await mkdir(folder, { recursive: true });
  const lock = await waitForLock(join(folder, `.${name}.lock`), options.signal);
  try {
    return (await findInstalled(name, place)) ?? (await install(name, place, options));
  } finally {
    lock.release();
  }
}

async function install(name: AgentName, place: string, options: InstallOptions): Promise<InstalledAgent> {
  const { package: packageName, version } = pinnedAgents[name];
  await removeUnfinished(name, dirname(place));
  const made = join(dirname(place), `.${name}-${randomUUID()}`);
  try {
    await mkdir(made);
    await writeFile(join(made, "package.json"), '{ "private": true }\n');
    await runNpm(`${packageName}@${version}`, made, options);
    if (name === "claude") await placeClaude(made);
    const agent = await findInstalled(name, made);
    if (!agent) {
      throw new AgentsUnavailable(`${packageName} ${version} has no program for ${process.platform} ${process.arch}.`);
    }
    await promisify(execFile)(agent.executable, ["--version"], { env: { PATH: process.env.PATH, HOME: made } });
    await rename(made, place);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return (await findInstalled(name, place)) as InstalledAgent;
}

async function runNpm(what: string, folder: string, { env = process.env, signal }: InstallOptions): Promise<void> {
  const words = [
    "install",
    what,
    "--prefix",
    folder,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const patience = ["--fetch-retries=2", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=2000"];
  // npm finds its registry and proxy in the user's home; a test's own home has none.
  const home = env.DEVFLOW_TEST_USER_HOME || env.HOME;
  try {
    await promisify(execFile)("npm", [...words, ...patience], { cwd: folder, env: { ...env, HOME: home }, signal });
  } catch (cause) {
    const { stderr = "", message } = cause as Error & { stderr?: string };
    throw new AgentsUnavailable(whyNot(what, stderr || message), { cause });
  }
}

function whyNot(what: string, output: string): string {
  const again = "Tests with real agents need it once: connect, then run the tests again.";
  if (/ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ECONNRESET|ENETUNREACH|network/i.test(output)) {
    return `npm could not reach its registry to install ${what}. ${again}`;
  }
  if (/ENOENT/.test(output) && /npm/.test(output)) return `npm is not on PATH, so ${what} cannot be installed.`;
  if (/ENOSPC/.test(output)) return `The disk is full: ${what} needs up to 450 MB under .cache/agents.`;
  return `npm could not install ${what}: ${output.trim().split("\n").slice(0, 3).join(" ")}`;
}

/** What its install script does, which `--ignore-scripts` skipped: the native program replaces the placeholder. */
async function placeClaude(folder: string): Promise<void> {
  const native = await nativeProgram("claude", folder);
  if (!native) return;
  const placeholder = join(folder, "node_modules", pinnedAgents.claude.package, "bin", "claude.exe");
  await rm(placeholder, { force: true });
  await link(native, placeholder).catch(() => copyFile(native, placeholder));
}

async function findInstalled(name: AgentName, folder: string): Promise<InstalledAgent | undefined> {
  const executable = await nativeProgram(name, folder);
  if (!executable) return undefined;
  const { version } = pinnedAgents[name];
  return { name, version, executable, binFolder: join(folder, "node_modules", ".bin") };
}

/** npm picks the package for this system and C library, so whichever is present is the right one. */
async function nativeProgram(name: AgentName, folder: string): Promise<string | undefined> {
  const scope = join(folder, "node_modules", dirname(pinnedAgents[name].package));
  const prefix = `${pinnedAgents[name].package.split("/")[1]}-`;
  for (const entry of (await entriesOf(scope)).filter((one) => one.startsWith(prefix))) {
    if (name === "claude") {
      const program = join(scope, entry, "claude");
      if (await isFile(program)) return program;
    }
    for (const target of await entriesOf(join(scope, entry, "vendor"))) {
      const program = join(scope, entry, "vendor", target, "bin", "codex");
      if (await isFile(program)) return program;
    }
  }
  return undefined;
}

/** Under the lock nobody else installs this agent, so unfinished files were left by a killed process. */
async function removeUnfinished(name: AgentName, folder: string): Promise<void> {
  const left = (await entriesOf(folder)).filter((one) => one.startsWith(`.${name}-`));
  await Promise.all(left.map((one) => rm(join(folder, one), { recursive: true, force: true })));
}

async function waitForLock(path: string, signal?: AbortSignal) {
  for (;;) {
    const lock = tryLock(path);
    if (lock) return lock;
    await pause(200, undefined, signal ? { signal } : {});
  }
}

const entriesOf = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
