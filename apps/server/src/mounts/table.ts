/**
 * Everything the server serves, one row each: paths, access, and which servers have it: the local one, the team's, or both. A new system adds a row
 * here and its loader where the server is composed; it is not loaded before its first request.
 *
 * - `mountAt(path)` the row of a path; undefined when there is none.
 * - `methodAt(path)` the only method of that path, if it has just one.
 */

/**
 * `anyone` needs no token. `own` has a token of its own, which its route checks. `key` accepts every token, including an anonymous key: the database decides. `members` are
 * people. `owner` is the person of this machine.
 */
export const mountAccess = ["anyone", "own", "key", "members", "owner"] as const;
export type MountAccess = (typeof mountAccess)[number];

export interface MountRow {
  /** Begins a sentence about it. */
  readonly title: string;
  /** Path prefixes, each with the only method it has, or `any`. */
  readonly paths: Readonly<Record<string, "GET" | "POST" | "any">>;
  readonly access: MountAccess;
  /** A team server runs nothing and reads no file of its machine: whatever does is on the local server only. */
  readonly on: "local" | "team" | "both";
}

export const mountTable = {
  health: { title: "Health", paths: { "/health": "GET" }, access: "anyone", on: "both" },
  metrics: { title: "Metrics", paths: { "/metrics": "GET" }, access: "own", on: "team" },
  ways: { title: "Ways to sign in", paths: { "/auth/ways": "GET" }, access: "anyone", on: "both" },
  signIn: {
    title: "Signing in",
    paths: { "/auth/oauth": "POST", "/auth/session": "POST", "/auth/invite": "POST", "/auth/email": "POST" },
    access: "anyone",
    on: "team",
  },
  signedIn: {
    title: "Terminals and links",
    paths: {
      "/auth/device": "POST",
      "/auth/link": "POST",
      "/auth/mailed-invite": "POST",
      "/auth/sign-out-everywhere": "POST",
    },
    access: "members",
    on: "team",
  },
  exchange: { title: "Signing in", paths: { "/auth/exchange": "POST" }, access: "anyone", on: "local" },
  tokens: {
    title: "Codes and tokens",
    paths: { "/auth/code": "POST", "/auth/token": "POST" },
    access: "members",
    on: "local",
  },
  dataPlane: { title: "The data plane", paths: { "/rest": "any" }, access: "key", on: "both" },
  live: {
    title: "Live changes",
    paths: { "/sse/team": "GET", "/sse/global": "GET" },
    access: "members",
    on: "both",
  },
  status: {
    title: "The server's status",
    paths: { "/api/status": "GET", "/api/commands": "GET" },
    access: "members",
    on: "both",
  },
  runs: {
    title: "Runs",
    paths: {
      "/api/runs": "any",
      "/api/approvals": "any",
      "/api/sessions": "any",
      "/api/permissions": "any",
      "/api/templates": "any",
      "/api/personas": "any",
      "/api/fleet": "any",
      "/sse/runs": "GET",
    },
    access: "members",
    on: "local",
  },
  evals: {
    title: "The eval results",
    paths: { "/api/evals": "GET", "/sse/evals": "GET" },
    access: "owner",
    on: "local",
  },
  browse: { title: "The browsers", paths: { "/api/browse": "GET" }, access: "owner", on: "local" },
} as const satisfies Readonly<Record<string, MountRow>>;

export type MountName = keyof typeof mountTable;

const prefixes = Object.entries(mountTable).flatMap(([name, { paths }]) =>
  Object.entries(paths).map(([prefix, method]) => ({ name: name as MountName, prefix, method })),
);

export function mountAt(path: string): MountName | undefined {
  return prefixAt(path)?.name;
}

export function methodAt(path: string): "GET" | "POST" | undefined {
  const method = prefixAt(path)?.method;
  return method === "any" ? undefined : method;
}

function prefixAt(path: string) {
  return prefixes.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}
