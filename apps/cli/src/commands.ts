/**
 * The list of commands. A top-level word maps to the module with its records, so that running one command loads one module;
 * help and completion load them all.
 */
import type { AnyCommand } from "@devflow/core/command";

type Loader = () => Promise<readonly AnyCommand[]>;

const care: Loader = async () => (await import("./server/commands.ts")).serverCommands;
const config: Loader = async () => (await import("./config/commands.ts")).configCommands;
const data: Loader = async () => (await import("./data/commands.ts")).dataCommands;
const doctor: Loader = async () => (await import("./doctor/commands.ts")).doctorCommands;
const completion: Loader = async () => (await import("./completion/commands.ts")).completionCommands;

const upgrade: Loader = async () => (await import("./upgrade/commands.ts")).upgradeCommands;

const run: Loader = async () => (await import("./run/commands.ts")).runCommands;
const definitions: Loader = async () => (await import("./run/definition-commands.ts")).definitionCommands;
const permissions: Loader = async () => (await import("./run/permission-commands.ts")).permissionCommands;
const browse: Loader = async () => (await import("./browse/commands.ts")).browseCommands;
const browseDaemon: Loader = async () => (await import("./browse/daemon-command.ts")).browseDaemonCommands;
const evals: Loader = async () => (await import("./eval/commands.ts")).evalCommands;
const internal: Loader = async () => (await import("./run/internal-commands.ts")).internalCommands;

const find: Loader = async () => (await import("./find/commands.ts")).findCommands;
const qa: Loader = async () => (await import("./qa/commands.ts")).qaCommands;
const team: Loader = async () => [
  ...(await import("./team/commands.ts")).teamCommands,
  ...(await import("./alerts/commands.ts")).alertCommands,
];
const digest: Loader = async () => (await import("./alerts/commands.ts")).digestCommands;
const sync: Loader = async () => [
  ...(await import("./sync/setup-commands.ts")).syncSetupCommands,
  ...(await import("./sync/commands.ts")).syncCommands,
];
const fleet: Loader = async () => (await import("./fleet/commands.ts")).fleetCommands;
const retro: Loader = async () => (await import("./retro/commands.ts")).retroCommands;
const ship: Loader = async () => (await import("./ship/commands.ts")).shipCommands;
const dashboard: Loader = async () => (await import("./dashboard/commands.ts")).dashboardCommands;
const brain: Loader = async () => [
  ...(await import("./brain/commands.ts")).brainCommands,
  ...(await import("./brain/decide-commands.ts")).decideCommands,
  ...(await import("./brain/precheck-commands.ts")).precheckCommands,
];
const hooks: Loader = async () => (await import("./hooks/commands.ts")).hookCommands;
const skills: Loader = async () => (await import("./skills/commands.ts")).skillCommands;

const loaders: Readonly<Record<string, Loader>> = {
  up: care,
  down: care,
  status: care,
  open: care,
  logs: care,
  serve: care,
  daemon: care,
  "unpack-postgres": care,
  run,
  attach: run,
  template: definitions,
  persona: definitions,
  schema: definitions,
  permission: permissions,
  fleet,
  team,
  digest,
  sync,
  drainer: sync,
  retro,
  ship,
  dashboard,
  brain,
  hooks,
  hook: hooks,
  skills,
  qa,
  eval: evals,
  find,
  doctor,
  backup: data,
  restore: data,
  upgrade,
  uninstall: upgrade,
  config,
  completion,
  browse,
  "browse-daemon": browseDaemon,
  "fake-agent": internal,
  "session-holder": internal,
  "session-hook": internal,
};

/** Only the records that these words can mean, or all of them when the first word is not a command. */
export async function commandsFor(words: readonly string[]): Promise<readonly AnyCommand[]> {
  const loader = Object.hasOwn(loaders, words[0] ?? "") ? loaders[words[0] ?? ""] : undefined;
  return loader ? await loader() : await allCommands();
}

export async function allCommands(): Promise<readonly AnyCommand[]> {
  const modules = await Promise.all([...new Set(Object.values(loaders))].map((load) => load()));
  return modules.flat();
}
