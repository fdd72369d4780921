/**
 * Where a new run works.
 *
 * - `runPlace(context, input, repository)` this machine, by default; with `on` the machine of the fleet that fits, which works in
 *   a mirror of the repository's remote. Throws when none fits, with the reason of each, and where only other machines have workers.
 */
import { realpath } from "node:fs/promises";
import { canonicalRemote } from "@devflow/core/canonical-remote";
import type { EngineName } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { git } from "@devflow/git";
import type { EngineContext } from "../engine/context.ts";
import { readHosts } from "./host-repository.ts";
import { hostFor, isLabel } from "./host-row.ts";
import { mirrorPath } from "./remote-repository.ts";

export interface RunPlace {
  readonly host: string;
  readonly engine: EngineName;
  readonly repository: string;
  readonly remote: string | null;
  readonly repoKey: string;
  /** The label that it was started for. */
  readonly label: string | null;
  /** Where its folders are, on its machine. */
  readonly workspaceRoot: string;
  /** How many runs may be at work there; undefined: as this machine is configured. */
  readonly places: number | undefined;
}

export async function runPlace(
  context: EngineContext,
  { teamId, on }: { readonly teamId: string; readonly on?: string | undefined },
  { root }: { readonly root: string },
): Promise<RunPlace> {
  const { host, engine, env, database, workspaceRoot } = context;
  const url = await originOf(root, env);
  const named = url && canonicalRemote(url);
  if (on === undefined) {
    if (engine === "temporal") await refuseWithoutWorker(context);
    return {
      ...{ host, engine, repository: root, remote: null, label: null, places: undefined },
      repoKey: named ?? `${host}:${root}`,
      workspaceRoot: await realpath(workspaceRoot),
    };
  }
  if (url === undefined) {
    throw new DevflowError("input_invalid", {
      details: {
        problem: `${root} has no remote called origin, so another machine cannot fetch it.`,
        next: `Add one: git -C ${root} remote add origin <url>`,
      },
    });
  }
  const repoKey = named ?? url;
  const hosts = await database.asEngine((tx) => readHosts(tx));
  const choice = hostFor(hosts, { teamId, wanted: on, repository: repoKey, backends: [] });
  if (!choice.ok) throw new DevflowError("no_host", { details: { wanted: on, reason: choice.reason } });
  const { workspace_root: there, places } = choice.host;
  return {
    ...{
      host: choice.host.host,
      engine: "temporal",
      remote: withoutPassword(url),
      repoKey,
      label: isLabel(hosts, on) ? on : null,
      places,
      workspaceRoot: there,
    },
    repository: mirrorPath(there, repoKey),
  };
}

/** Where other machines have workers and this one has none, a run that stays here would wait for somebody to start one. */
async function refuseWithoutWorker({ database, host }: EngineContext): Promise<void> {
  const hosts = await database.asEngine((tx) => readHosts(tx));
  const others = hosts.filter((one) => one.host !== host && one.state === "present");
  if (others.length === 0 || hosts.some((one) => one.host === host)) return;
  const named = [...new Set(others.flatMap((one) => [...one.labels, one.host]))].slice(0, 3).join(", --on ");
  const reason = `no worker runs on this machine; start devflow-worker, or name others: --on any, --on ${named}`;
  throw new DevflowError("no_host", { details: { wanted: "this one", reason } });
}

async function originOf(cwd: string, env: EngineContext["env"]): Promise<string | undefined> {
  const words = { cwd, env, answers: [1] };
  const { stdout, exit } = await git(["config", "--get", "remote.origin.url"], words);
  return exit === 0 ? stdout.trim() || undefined : undefined;
}

/** Each machine has its own credentials. */
const withoutPassword = (url: string): string => url.replace(/^(https?:\/\/)[^@/]*@/i, "$1");
