/**
 * Opens the thread of a session in a Codex app server: continues it if it has a history, or starts it. Rejects with words
 * for a person when Codex is not logged in, does not have the model, or would allow more than was asked for.
 */
import type { HeldStart } from "../holder/held-start.ts";
import { type CodexPlaces, looserThan, type OpenedThread, threadOptions } from "./codex-options.ts";
import type { CodexServer } from "./codex-server.ts";

interface OpenThreadInput {
  readonly start: HeldStart;
  readonly places: CodexPlaces;
  /** From an earlier process of this session. */
  readonly threadId: string | undefined;
  readonly sessionToken: string | undefined;
}

export async function openThread(server: CodexServer, input: OpenThreadInput): Promise<OpenedThread> {
  const { start, places, threadId, sessionToken } = input;
  const clientInfo = { name: "devflow", title: "Devflow", version: "1" };
  await server.request("initialize", { clientInfo, capabilities: null });
  server.notify("initialized");
  // Reads the settings: with invalid ones Codex would go on without them, and seem to be logged out.
  const mcpServers = await mcpServersOf(server, start.cwd);
  await checkAccount(server, start.launch.model);
  const options = threadOptions(start, places, { sessionToken, mcpServers });
  const opened =
    (threadId && (await continued(server, threadId, options))) ||
    (await server.request<OpenedThread>("thread/start", options));
  const looser = looserThan(start, places, opened);
  if (looser !== undefined)
    throw new Error(
      `Codex does not accept the limits of this session: ${looser}; look for a managed configuration of Codex`,
    );
  return opened;
}

/** A thread without a message has no history, and cannot be continued. */
async function continued(server: CodexServer, threadId: string, options: object): Promise<OpenedThread | undefined> {
  try {
    return await server.request<OpenedThread>("thread/resume", { threadId, ...options, excludeTurns: true });
  } catch (error) {
    if (/no rollout found/.test((error as Error).message)) return undefined;
    throw error;
  }
}

async function checkAccount(server: CodexServer, model: string | undefined): Promise<void> {
  const { account, requiresOpenaiAuth } = await server.request<{ account: object | null; requiresOpenaiAuth: boolean }>(
    "account/read",
    {},
  );
  // Another provider has its own keys and models.
  if (!requiresOpenaiAuth) return;
  if (account === null) throw new Error("Codex is not logged in. Log in with: codex login");
  if (model === undefined) return;
  const { data } = await server.request<{ data: { model: string }[] }>("model/list", {
    includeHidden: true,
    limit: 200,
  });
  if (data.length === 0 || data.some((one) => one.model === model)) return;
  throw new Error(`Codex does not have the model ${model}. It has: ${data.map((one) => one.model).join(", ")}`);
}

/** Settings of the user that name MCP servers: each is switched off by its name. */
async function mcpServersOf(server: CodexServer, cwd: string): Promise<string[]> {
  const { config } = await server.request<{ config: { mcp_servers?: object | null } }>("config/read", { cwd });
  return Object.keys(config.mcp_servers ?? {});
}
