/**
 * Everything the server serves, one row each: paths, access, and whether a team server has it too. A new system adds a row
 * here and its loader where the server is composed; it is not loaded before its first request.
 *
 * - `mountAt(path)` the row of a path; undefined when there is none.
 * - `methodAt(path)` the only method of that path, if it has just one.
 */

/**
 * `anyone` needs no token. `key` accepts every token, including an anonymous key: the database decides. `members` are
 * people. `owner` is the person of this machine.
 */
export const mountAccess = ["anyone", "key", "members", "owner"] as const;
export type MountAccess = (typeof mountAccess)[number];

export interface MountRow {
  /** Begins a sentence about it. */
  readonly title: string;
  /** Path prefixes, each with the only method it has, or `any`. */
  readonly paths: Readonly<Record<string, "GET" | "POST" | "any">>;
  readonly access: MountAccess;
  /** About this machine, and never part of a team server. */
  readonly localOnly: boolean;
}

export const mountTable = {
  health: { title: "Health", paths: { "/health": "GET" }, access: "anyone", localOnly: false },
  exchange: { title: "Signing in", paths: { "/auth/exchange": "POST" }, access: "anyone", localOnly: true },
  tokens: {
    title: "Codes and tokens",
    paths: { "/auth/code": "POST", "/auth/token": "POST" },
    access: "members",
    localOnly: true,
  },
  dataPlane: { title: "The data plane", paths: { "/rest": "any" }, access: "key", localOnly: false },
  live: {
    title: "Live changes",
    paths: { "/sse/team": "GET", "/sse/global": "GET" },
    access: "members",
    localOnly: false,
  },
  status: {
    title: "The server's status",
    paths: { "/api/status": "GET", "/api/commands": "GET" },
    access: "members",
    localOnly: false,
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
      "/sse/runs": "GET",
    },
    access: "members",
    localOnly: false,
  },
  evals: {
    title: "The eval results",
    paths: { "/api/evals": "GET", "/sse/evals": "GET" },
    access: "owner",
    localOnly: true,
  },
  browse: { title: "The browsers", paths: { "/api/browse": "GET" }, access: "owner", localOnly: true },
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
