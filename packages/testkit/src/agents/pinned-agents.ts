/**
 * The agents that tests run, each with its exact version, and where npm puts its program.
 *
 * - `findProgram(name, folder)` the program in a folder where npm installed it; undefined when it is not there.
 */
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Claude Code is a native program: its package asks for Node 22, but nothing of it runs on Node. */
export const pinnedAgents = {
  claude: { package: "@anthropic-ai/claude-code", version: "2.1.325" },
  codex: { package: "@openai/codex", version: "0.166.0" },
  copilot: { package: "@github/copilot", version: "1.0.102" },
  gemini: { package: "@google/gemini-cli", version: "0.61.0" },
  /** Asks for Node 22 and runs on 20. */
  qwen: { package: "@qwen-code/qwen-code", version: "0.24.4" },
  opencode: { package: "opencode-ai", version: "1.18.33" },
  "claude-agent-acp": { package: "@agentclientprotocol/claude-agent-acp", version: "0.99.1" },
  "codex-acp": { package: "@agentclientprotocol/codex-acp", version: "2.6.0" },
} as const;
export type AgentName = keyof typeof pinnedAgents;

/** Programs inside a package per platform. npm picks the one for this system and C library, so whichever is present is right. */
const native: Partial<Record<AgentName, { readonly prefix: string; readonly program: string }>> = {
  claude: { prefix: "claude-code-", program: "claude" },
  codex: { prefix: "codex-", program: "vendor/*/bin/codex" },
  copilot: { prefix: "copilot-", program: "copilot" },
  opencode: { prefix: "opencode-", program: "bin/opencode" },
};

export async function findProgram(name: AgentName, folder: string): Promise<string | undefined> {
  const modules = join(folder, "node_modules");
  const found = native[name];
  const script = join(modules, ".bin", name);
  if (!found) return (await isFile(script)) ? script : undefined;
  const scope = join(modules, dirname(pinnedAgents[name].package));
  for (const entry of (await entriesOf(scope)).sort().filter((one) => one.startsWith(found.prefix))) {
    const program = await firstOf(join(scope, entry), found.program.split("/"));
    if (program) return program;
  }
  return undefined;
}

/** `*` stands for any one folder. */
async function firstOf(folder: string, [part = "", ...rest]: readonly string[]): Promise<string | undefined> {
  for (const name of part === "*" ? await entriesOf(folder) : [part]) {
    const path = join(folder, name);
    const found = rest.length > 0 ? await firstOf(path, rest) : (await isFile(path)) ? path : undefined;
    if (found) return found;
  }
  return undefined;
}

export const entriesOf = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
