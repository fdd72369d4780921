/** The engine's dependencies with fake agents and short waits: for tests in this process and in others. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@devflow/core/clock";
import type { Environment } from "@devflow/core/config";
import type { EngineName } from "@devflow/core/enums";
import { homeAt } from "@devflow/core/home";
import type { Database } from "@devflow/db";
import { agentEnvironment } from "@devflow/harness";
import { priceUsage } from "@devflow/prices";
import { createFakeAdapter, fenced } from "@devflow/session";
import { quietLog } from "@devflow/testkit";
import { adaptersOf, backendsOf, type DrivenAgent } from "../src/agents/driven-agent.ts";
import { openChainSigner } from "../src/engine/chain-signer.ts";
import {
  defaultTiming,
  type EngineContext,
  type EngineTiming,
  noSandbox,
  type SandboxSettings,
} from "../src/engine/context.ts";

interface FakeEngineOptions {
  /** The setting `forges`. */
  readonly forges?: readonly string[];
  readonly database: Database;
  readonly env: Environment;
  /** Where worktrees and the signing key are. */
  readonly folder: string;
  readonly host?: string;
  /** The engine of new runs. */
  readonly engine?: EngineName;
  readonly maxConcurrentRuns?: number;
  readonly timing?: Partial<EngineTiming>;
  readonly passEnvironment?: readonly string[];
  /** The settings `sandbox…`. */
  readonly sandbox?: SandboxSettings;
  /** Real agents besides the fake. */
  readonly agents?: readonly DrivenAgent[];
  /** Where they are; a bundled program does not find them by itself. */
  readonly programs?: AgentPrograms;
}

/** The programs that real agents need beside them. */
export interface AgentPrograms {
  readonly holder: string;
  readonly hook: string;
  readonly inside: string;
}

export const agentPrograms: AgentPrograms = {
  holder: fileURLToPath(new URL("./holder-program.ts", import.meta.url)),
  hook: fileURLToPath(new URL("./hook-program.ts", import.meta.url)),
  inside: fileURLToPath(new URL("./inside-program.ts", import.meta.url)),
};
const fakeAgent = fileURLToPath(import.meta.resolve("@devflow/session/fake/agent"));

export interface FakeEngineContext extends EngineContext {
  /** Resolves at the next commit of this process, at the latest after 100 ms, for what other processes change. */
  nextChange(): Promise<void>;
}

export async function fakeEngineContext(options: FakeEngineOptions): Promise<FakeEngineContext> {
  const { database, env, folder, host = "test-host", maxConcurrentRuns = 4, timing } = options;
  const { passEnvironment = [], agents = [], programs = agentPrograms } = options;
  const workspaceRoot = join(folder, "workspaces");
  await mkdir(workspaceRoot, { recursive: true });
  let change = Promise.withResolvers<void>();
  return {
    database,
    clock: systemClock,
    log: quietLog,
    host,
    engine: options.engine ?? "inline",
    home: folder,
    workspaceRoot,
    adapters: {
      ...adaptersOf(agents, {
        env,
        passEnvironment,
        holderCommand: [process.execPath, programs.holder],
        hookCommand: [process.execPath, programs.hook],
        insideCommand: [process.execPath, programs.inside],
      }),
      fake: fenced(
        createFakeAdapter({
          agentCommand: [process.execPath, fakeAgent],
          environment: (repository) => agentEnvironment(env, { person: passEnvironment, repository }),
          defaultDelayMs: 20,
        }),
      ),
    },
    backends: {
      fake: { available: true },
      claude: { available: false, reason: "not in this test" },
      codex: { available: false, reason: "not in this test" },
      ...backendsOf(agents),
    },
    env,
    passEnvironment,
    maxConcurrentRuns: () => maxConcurrentRuns,
    forges: () => options.forges ?? [],
    sandbox: () => options.sandbox ?? noSandbox,
    timing: { ...defaultTiming, quietMs: 300, ...timing },
    price: priceUsage,
    signer: await openChainSigner(homeAt(folder)),
    stepFailures: new Map(),
    onCommitted() {
      change.resolve();
      change = Promise.withResolvers<void>();
    },
    nextChange: () => Promise.race([change.promise, Bun.sleep(100)]),
    onTranscript: () => undefined,
  };
}
