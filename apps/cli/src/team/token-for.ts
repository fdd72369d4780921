/**
 * The one way to get an access token for a team server; drains, pulls and commands all use it.
 *
 * - `tokenFor(home, env, server, user)` a token that is valid for at least half a minute, as that person, or as whoever has
 *   signed in when no person is named. Throws `signed_out`, or `team_unreachable`, which says nothing about the sign-in.
 * - `renewSignIn(home, server)` whether the sign-in can go on, asked of the server.
 * - `addressFor(home, env, server)` the same as the address of calls.
 *
 * Refreshing happens under the lock of auth.json, once for any number of processes. The refresh token that was used works until
 * its successor is used, so a process that is killed between the two leaves a sign-in that still works.
 */
import { type Environment, environmentOf } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import type { Home } from "@devflow/core/home";
import { parseJson } from "@devflow/core/read-if-there";
import { accessTokenType, type Grant, grantTypes, notAMember } from "@devflow/protocol";
import type { TeamAddress } from "../server/client.ts";
import { changeAuth, readAuth, type StoredSignIn } from "./auth-file.ts";
import { requestGrant } from "./oauth-client.ts";
import { serverUrl } from "./server-url.ts";

export interface PersonToken {
  readonly token: string;
  readonly userId: string;
  /** What the gateway of a platform wants besides. */
  readonly headers?: Readonly<Record<string, string>>;
}

export const somebodyElse = "somebody else is signed in there now";

const leastValidS = 30;

/** Tokens of DEVFLOW_ACCESS_TOKEN, for as long as this process lives. */
const exchanged = new Map<string, { readonly answer: PersonToken; readonly expiresAt: number }>();

export async function tokenFor(home: Home, env: Environment, server: string, user?: string): Promise<PersonToken> {
  const { DEVFLOW_ACCESS_TOKEN: given, DEVFLOW_SERVER: only, DEVFLOW_ANON_KEY: anonKey } = environmentOf(env);
  if (given) requireServer(server, only);
  const found = !given
    ? await signedIn(home, server)
    : anonKey
      ? asItIs(given, anonKey)
      : await exchange(server, given);
  if (user === undefined || user === found.userId) return found;
  throw signedOut(server, somebodyElse);
}

export async function addressFor(home: Home, env: Environment, server: string): Promise<TeamAddress> {
  const { token, headers } = await tokenFor(home, env, server);
  return { url: server, token, ...(headers ? { headers } : {}) };
}

/** What a grant leaves in auth.json; members that a later version added stay. */
export function signInOf(grant: Grant, now: StoredSignIn | undefined): StoredSignIn {
  return {
    ...now,
    user_id: grant.user.id,
    name: grant.user.name,
    access_token: grant.access_token,
    expires_at: nowS() + grant.expires_in,
    ...(grant.refresh_token === undefined ? {} : { refresh_token: grant.refresh_token }),
  };
}

async function signedIn(home: Home, server: string): Promise<PersonToken> {
  const known = (await readAuth(home))[server];
  if (known && isFresh(known)) return tokenOf(known);
  const now = await changeAuth(home, server, (current) => refreshed(home, server, current));
  if (now && isFresh(now)) return tokenOf(now);
  throw signedOut(server, now ? "this machine was signed out" : "nobody has signed in on this machine");
}

/** Whether the sign-in on this machine can go on: a token may still be valid for minutes after its sign-in has ended. */
export async function renewSignIn(home: Home, server: string): Promise<boolean> {
  const now = await changeAuth(home, server, (current) => refreshed(home, server, current, true));
  return now !== undefined && isFresh(now);
}

/** Another process may have refreshed it while this one waited for the lock. */
async function refreshed(
  home: Home,
  server: string,
  current: StoredSignIn | undefined,
  isForced = false,
): Promise<StoredSignIn | undefined> {
  if (!current?.refresh_token || (isFresh(current) && !isForced)) return current;
  if (current.anon_key !== undefined) return await renewedThere(server, current, current.anon_key);
  const outcome = await requestGrant(server, { grant_type: grantTypes.refresh, refresh_token: current.refresh_token });
  if ("grant" in outcome) return signInOf(outcome.grant, current);
  if (outcome.description === notAMember) {
    // They were removed from their last team there: what this machine has of it goes at this first contact.
    const { wipeTeams } = await import("./wipe-teams.ts");
    await wipeTeams(home, server, Object.values(current.teams ?? {}));
  }
  return withoutTokens(current);
}

async function renewedThere(server: string, current: StoredSignIn, anonKey: string): Promise<StoredSignIn> {
  const { renewSession } = await import("../supabase/supabase-auth.ts");
  const session = await renewSession({ url: server, anonKey }, current.refresh_token ?? "");
  if (session === "ended") return withoutTokens(current);
  const { access_token, refresh_token, expires_in } = session;
  return { ...current, access_token, refresh_token, expires_at: nowS() + expires_in };
}

/** The person and everything else stays, so that what they have written still waits for them. */
function withoutTokens({ refresh_token: _r, access_token: _a, expires_at: _e, ...rest }: StoredSignIn): StoredSignIn {
  return rest;
}

/** A repository names its server, and a pull request may name another: a token of CI must not follow it there. */
function requireServer(server: string, only: string | undefined): void {
  if (only !== undefined && serverUrl(only) === server) return;
  throw new DevflowError("sign_in_refused", {
    details: only
      ? {
          reason: `DEVFLOW_ACCESS_TOKEN is for ${only}, and the server asked for is ${server}`,
          next: "Check the server in .devflow.json; the token was not sent.",
        }
      : { reason: "DEVFLOW_SERVER is not set", next: "Set it to the team server that DEVFLOW_ACCESS_TOKEN is for." },
  });
}

/** A Supabase project exchanges no tokens: the token is an access token of one of its people. */
function asItIs(token: string, anonKey: string): PersonToken {
  const [, claims = ""] = token.split(".");
  const { sub } = (parseJson(Buffer.from(claims, "base64url").toString("utf8")) ?? {}) as { sub?: unknown };
  if (typeof sub === "string") return { token, userId: sub, headers: platformHeaders(anonKey) };
  throw new DevflowError("sign_in_refused", {
    details: {
      reason: "DEVFLOW_ANON_KEY is set, and DEVFLOW_ACCESS_TOKEN is not an access token of a Supabase project",
      next: "Set it to one, or remove DEVFLOW_ANON_KEY for a Devflow server.",
    },
  });
}

async function exchange(server: string, token: string): Promise<PersonToken> {
  const key = `${server} ${token}`;
  const known = exchanged.get(key);
  if (known && known.expiresAt - nowS() > leastValidS) return known.answer;
  const outcome = await requestGrant(server, {
    grant_type: grantTypes.exchange,
    subject_token: token,
    subject_token_type: accessTokenType,
  });
  if ("refused" in outcome) {
    throw new DevflowError("sign_in_refused", {
      details: {
        reason: `${server} does not accept the token in DEVFLOW_ACCESS_TOKEN; it was revoked or has expired`,
        next: "Create another one: devflow team token create <name>",
      },
    });
  }
  const { grant } = outcome;
  const answer = { token: grant.access_token, userId: grant.user.id };
  exchanged.set(key, { answer, expiresAt: nowS() + grant.expires_in });
  return answer;
}

function tokenOf({ access_token = "", user_id, anon_key }: StoredSignIn): PersonToken {
  return {
    token: access_token,
    userId: user_id,
    ...(anon_key === undefined ? {} : { headers: platformHeaders(anon_key) }),
  };
}

/** PostgREST serves several schemas, and the first one unless it is told otherwise. */
const platformHeaders = (anonKey: string) => ({ apikey: anonKey, "content-profile": "api" });

function isFresh({ access_token, expires_at }: StoredSignIn): boolean {
  return access_token !== undefined && (expires_at ?? 0) - nowS() > leastValidS;
}

function signedOut(server: string, reason: string): DevflowError {
  return new DevflowError("signed_out", { details: { server, reason } });
}

const nowS = (): number => Math.floor(Date.now() / 1000);
