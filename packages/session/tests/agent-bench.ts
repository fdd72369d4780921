/**
 * Real agents for tests, driven by their adapter with a scripted model.
 *
 * - `openAgentBench(kind, scenario)` one adapter with its model; `start()` a session, ended with the bench.
 * - `folderOnDisk()` a folder that is not below the temporary one, which is empty in the sandbox and which Codex refuses.
 * - `ask(handle, …)` an envelope whose artifact is in the session's artifacts folder.
 * - `kept(handle, text)` resolves when a kill of the agent no longer loses the text.
 * - `factsUntil(handle, …)` every fact up to the one that fits.
 */
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type ScenarioInput, type ScriptedModel, startScriptedModel, temporaryFolder } from "@devflow/testkit";
import type { SessionAdapter, SessionFact, SessionHandle, StartInput } from "../src/adapter.ts";
import { readAgentFile } from "../src/holder/agent-file.ts";
import { makeEnvelope, type PromptEnvelope } from "../src/prompt-envelope.ts";
import { plainLaunch } from "../testing/index.ts";
import type { AgentKind } from "./agent-kinds.ts";

export const holderCommand = [
  process.execPath,
  fileURLToPath(new URL("../testing/holder-program.ts", import.meta.url)),
] as const;

export const hookCommand = [
  process.execPath,
  fileURLToPath(new URL("../testing/hook-program.ts", import.meta.url)),
] as const;

export const insideCommand = [
  process.execPath,
  fileURLToPath(new URL("../testing/inside-program.ts", import.meta.url)),
] as const;

export const call = { epoch: 1, signal: new AbortController().signal };

export interface AgentBench extends AsyncDisposable {
  readonly adapter: SessionAdapter;
  readonly model: ScriptedModel;
  readonly worktree: string;
  readonly artifacts: string;
  /** More variables for holders that are started from now on. */
  readonly variables: Record<string, string>;
  start(changes?: Partial<StartInput>): Promise<SessionHandle>;
  ask(handle: SessionHandle, changes?: Partial<PromptEnvelope>): PromptEnvelope;
  factsUntil(handle: SessionHandle, isLast: (fact: SessionFact) => boolean, after?: number): Promise<SessionFact[]>;
  /** Waits until the agent would find the text again in a session that it continues. */
  kept(handle: SessionHandle, text: string): Promise<void>;
  /** How often the model saw a user message with this text. */
  seen(text: string): number;
}

let count = 0;

export function folderOnDisk(): { readonly path: string; remove(): void } {
  const cache = fileURLToPath(new URL("../../../.cache", import.meta.url));
  const parent = [cache, "/var/cache", "/opt"].find((one) => !one.startsWith("/tmp/") && canBeWritten(one));
  if (parent === undefined) throw new Error("no folder outside of /tmp can be written to; clone Devflow elsewhere");
  const path = mkdtempSync(join(parent, ".sandbox-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function canBeWritten(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

interface BenchOptions {
  /** Where sessions and artifacts are; a temporary folder by default. */
  readonly folder?: string;
}

export async function openAgentBench(
  kind: AgentKind,
  scenario: ScenarioInput,
  options: BenchOptions = {},
): Promise<AgentBench> {
  const model = await startScriptedModel(scenario, { values: {} });
  const worktree = temporaryFolder("worktree");
  const variables: Record<string, string> = {};
  const adapter = kind.adapter({ model, worktree, variables });
  const folder = options.folder ?? temporaryFolder("session");
  const artifacts = join(folder, "artifacts");
  mkdirSync(artifacts);
  const handles: SessionHandle[] = [];
  return {
    adapter,
    model,
    worktree,
    artifacts,
    variables,
    async start(changes = {}) {
      count += 1;
      const input: StartInput = {
        sessionId: `${kind.name}-${count}`,
        runId: "run",
        roleId: "coder",
        laneId: "main",
        backend: kind.name,
        cwd: worktree,
        folder: join(folder, `session-${count}`),
        writableFolders: [artifacts],
        variables: [],
        launch: plainLaunch,
        prelude: "PRELUDE: you work for a test.",
        ...changes,
      };
      const handle = await adapter.start(input, call);
      handles.push(handle);
      return handle;
    },
    ask: (_handle, changes = {}) =>
      makeEnvelope({
        runId: "run",
        roleId: "coder",
        phaseKey: "plan",
        expectedArtifact: join(artifacts, `artifact-${changes.attempt ?? 1}.json`),
        expectedSchema: "test/plan@1",
        instructions: "Plan it.",
        attempt: 1,
        ...changes,
      }),
    async factsUntil(handle, isLast, after = 0) {
      const seen: SessionFact[] = [];
      for await (const fact of adapter.facts(handle, after, AbortSignal.timeout(60_000))) {
        seen.push(fact);
        if (isLast(fact)) return seen;
      }
      const at = join(handle.folder, "transcript.log");
      const transcript = existsSync(at) ? readFileSync(at, "utf8") : "";
      throw new Error(`the awaited fact did not come; seen: ${JSON.stringify(seen)}\n${transcript}`);
    },
    async kept(handle, text) {
      const { pid = 0 } = readAgentFile(join(handle.folder, "agent.json"));
      const lines = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      const env = Object.fromEntries(lines.map((line) => [line.split("=", 1)[0], line.slice(line.indexOf("=") + 1)]));
      while ((await kind.hasKept?.(env, handle.agentSessionId ?? "", text)) === false) await pause(20);
    },
    seen: (text) => Math.max(0, ...model.requests.map(({ body }) => JSON.stringify(body).split(text).length - 1)),
    async [Symbol.asyncDispose]() {
      for (const handle of handles) await adapter.dispose(handle, call);
      await model.close();
    },
  };
}

export const isIdle = ({ kind }: SessionFact): boolean => kind === "idle";
