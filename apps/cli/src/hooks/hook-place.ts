/**
 * Where the records of a hook go, from files alone: what `../sync/place.ts` finds out with git, the server and zod, in a millisecond.
 *
 * - `hookPlaces(home)` a function from a folder to its place, which looks at each repository once.
 *
 * A team that this machine has not seen yet is not known here; `devflow hooks install` and every command that asks for the team see to that.
 */
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type HookPlace, type HookTeam, hookSettings } from "@devflow/brain/hooks";
import { canonicalRemote } from "@devflow/core/canonical-remote";
import type { Home } from "@devflow/core/home";
import { isUuid } from "@devflow/core/ids";
import { type Checkout, findCheckout, remoteUrls } from "@devflow/git/checkout";
import { localName } from "@devflow/team/repository-name";

export function hookPlaces(home: Home): (folder: string) => Promise<HookPlace | undefined> {
  const known = new Map<string, Promise<HookPlace>>();
  return async (folder) => {
    const checkout = findCheckout(folder);
    if (!checkout) return undefined;
    const place = known.get(checkout.root) ?? placeOf(home, checkout);
    known.set(checkout.root, place);
    return await place;
  };
}

async function placeOf(home: Home, checkout: Checkout): Promise<HookPlace> {
  const committed = jsonIn(join(checkout.root, ".devflow.json"));
  const team = await teamOf(home, checkout, committed);
  return { checkout, settings: hookSettings(committed), ...(team ? { team } : {}) };
}

async function teamOf(home: Home, checkout: Checkout, committed: Json): Promise<HookTeam | undefined> {
  const given = textOf(committed?.server);
  const server = given === undefined ? "local" : originOf(given);
  const known = server === "local" ? localMembership(home) : signedInMembership(home, server);
  const slug = textOf(committed?.team);
  const team = slug === undefined ? known?.teams[0] : known?.teams.find((one) => one.slug === slug || one.id === slug);
  const machine = textIn(home.machineIdFile)?.trim();
  if (!known || !team || !machine) return undefined;
  const repo = await repositoryName(checkout, machine);
  return repo === undefined
    ? undefined
    : { server, team: team.id, user: known.user, handle: known.name, machine, repo };
}

interface Known {
  readonly user: string;
  readonly name: string;
  readonly teams: readonly { readonly id: string; readonly slug: string }[];
}

/** As `../sync/membership.ts` wrote it. */
function localMembership(home: Home): Known | undefined {
  const found = jsonIn(join(home.root, "teams", "local", "membership.json"));
  const user = objectOf(found?.user);
  const teams = Array.isArray(found?.teams) ? found.teams.map(objectOf) : [];
  return knownOf(
    user?.id,
    user?.name,
    teams.map((team) => [textOf(team?.slug), textOf(team?.id)]),
  );
}

/** As `../team/auth-file.ts` wrote it; no token is looked at. */
function signedInMembership(home: Home, server: string): Known | undefined {
  const found = objectOf(jsonIn(home.authFile)?.[server]);
  return knownOf(found?.user_id, found?.name, Object.entries(objectOf(found?.teams) ?? {}));
}

function knownOf(user: unknown, name: unknown, teams: readonly (readonly [unknown, unknown])[]): Known | undefined {
  if (typeof user !== "string" || !isUuid(user)) return undefined;
  const valid = teams.flatMap(([slug, id]) =>
    typeof slug === "string" && typeof id === "string" && isUuid(id) ? [{ slug, id }] : [],
  );
  return { user, name: (textOf(name) ?? user).slice(0, 100), teams: valid };
}

async function repositoryName(checkout: Checkout, machine: string): Promise<string | undefined> {
  const urls = remoteUrls(checkout);
  if (urls === undefined) {
    const { repositoryOf } = await import("@devflow/team/repository");
    return await repositoryOf({ cwd: checkout.root }, machine);
  }
  const canonical = urls.map(canonicalRemote).find((name) => name !== undefined);
  return canonical ?? localName(realpathSync(checkout.commonFolder), machine);
}

type Json = Readonly<Record<string, unknown>> | undefined;

function jsonIn(path: string): Json {
  try {
    return objectOf(JSON.parse(textIn(path) ?? ""));
  } catch {
    return undefined;
  }
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

function originOf(server: string): string {
  try {
    return new URL(server).origin;
  } catch {
    return server;
  }
}
