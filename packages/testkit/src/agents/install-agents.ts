/**
 * Real agents, pinned, for tests: installed by npm on demand into `.cache/agents` of the project (100 to 460 MB each, so no
 * package depends on them) and kept there.
 *
 * - `installAgent(name)` returns or installs one; rejects with `AgentsUnavailable`, whose message ends in the next command.
 * - `agentsOrSkip()` Claude Code and Codex for tests: undefined with the reason printed, or a failure with `CI=true`.
 * - `acpAgentOrSkip(name)` the same for an agent that is driven over ACP, with the command that starts it so.
 *
 * An install happens in a temporary folder and is renamed, under a lock, so that a killed install leaves nothing
 * half-installed and concurrent test files install once.
 */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { copyFile, link, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { tryLock } from "@devflow/core/exclusive-lock";
import { canRun } from "../can-run.ts";
import { type AgentName, entriesOf, findProgram, pinnedAgents } from "./pinned-agents.ts";

export interface InstalledAgent {
  readonly name: AgentName;
  readonly version: string;
  /** Its program. */
  readonly executable: string;
  /** For PATH: contains it under its plain name. */
  readonly binFolder: string;
}
export type InstalledAgents = Readonly<Record<"claude" | "codex", InstalledAgent>>;

/** How each is told to speak ACP on its pipes. */
const acpArguments = {
  copilot: ["--acp"],
  gemini: ["--acp", "--skip-trust"],
  qwen: ["--acp", "--auth-type", "openai"],
  opencode: ["acp"],
  "claude-agent-acp": [],
  "codex-acp": [],
} as const satisfies Partial<Record<AgentName, readonly string[]>>;
export type AcpAgentName = keyof typeof acpArguments;

export interface InstalledAcpAgent {
  readonly name: AcpAgentName;
  readonly version: string;
  readonly command: readonly string[];
}

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

export const agentsOrSkip = (options: InstallOptions = {}): Promise<InstalledAgents | undefined> =>
  orSkip("tests with the real Claude Code and Codex", () => installAgents(options));

export const acpAgentOrSkip = (name: AcpAgentName): Promise<InstalledAcpAgent | undefined> =>
  orSkip(`tests with the real ${name} over ACP`, async () => {
    const { version, executable } = await installAgent(name);
    return { name, version, command: [executable, ...acpArguments[name]] };
  });

async function orSkip<T>(what: string, install: () => Promise<T>): Promise<T | undefined> {
  let installed: T | undefined;
  await canRun(what, async () => {
    try {
      installed = await install();
      return undefined;
    } catch (error) {
      if (error instanceof AgentsUnavailable) return error.message;
      throw error;
    }
  });
  return installed;
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
  if (/ENOSPC/.test(output)) return `The disk is full: ${what} needs up to 460 MB under .cache/agents.`;
  return `npm could not install ${what}: ${output.trim().split("\n").slice(0, 3).join(" ")}`;
}

/** What its install script does, which `--ignore-scripts` skipped: the native program replaces the placeholder. */
async function placeClaude(folder: string): Promise<void> {
  const native = await findProgram("claude", folder);
  if (!native) return;
  const placeholder = join(folder, "node_modules", pinnedAgents.claude.package, "bin", "claude.exe");
  await rm(placeholder, { force: true });
  await link(native, placeholder).catch(() => copyFile(native, placeholder));
}

async function findInstalled(name: AgentName, folder: string): Promise<InstalledAgent | undefined> {
  const executable = await findProgram(name, folder);
  if (!executable) return undefined;
  const { version } = pinnedAgents[name];
  return { name, version, executable, binFolder: join(folder, "node_modules", ".bin") };
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
