/**
 * What each way of starting Devflow may load before it answers. A list of what is allowed, and not of what is heavy: a new
 * system, or a new dependency, that comes into one of these paths fails by its name, and one that stays behind a lazy
 * `import()` changes nothing here. tests/start-paths.test.ts runs each of them on the chunks of the real program.
 *
 * - `startPaths` the table: a new way to start adds a row.
 * - `startPathFaults(may, modules)` every module that is loaded and not allowed, with one that imports it.
 */

/** What every command loads: parsing, settings, errors, and the records of its own group. */
const anyCommand = [
  ...["main", "process", "run", "commands", "output", "failure-text"].map((name) => `apps/cli/src/${name}.ts`),
  "packages/core/src/",
  "node_modules/yaml/",
  "node_modules/zod/",
];

/** The contracts that every client of the server parses; those of the data plane's functions are loaded when one is called. */
const anyClient = [
  ...["client", "self", "start-detached", "state", "versions"].map((name) => `apps/cli/src/server/${name}.ts`),
  ...["auth", "failure", "server-state", "status", "team-row"].map((name) => `packages/protocol/src/${name}.ts`),
  "apps/cli/src/text-table.ts",
];

/** pino and its dependencies. */
const logging = [
  ...["@pinojs/redact", "atomic-sleep", "on-exit-leak-free", "pino", "pino-std-serializers", "quick-format-unescaped"],
  ...["safe-stable-stringify", "sonic-boom", "thread-stream"],
].map((name) => `node_modules/${name}/`);

export interface StartPath {
  /** The words after `devflow`. */
  readonly words: readonly string[];
  /** Files, and folders that end in a slash. */
  readonly may: readonly string[];
}

export const startPaths = {
  /** The first call of hooks and skills. */
  version: { words: ["--version"], may: ["apps/cli/src/main.ts"] },
  help: {
    words: ["--help"],
    may: [
      ...anyCommand,
      ...[
        "alerts",
        "brain",
        "browse",
        "completion",
        "config",
        "dashboard",
        "data",
        "doctor",
        "eval",
        "find",
        "fleet",
        "hooks",
        "qa",
        "retro",
        "run",
        "server",
        "ship",
        "skills",
        "sync",
        "team",
        "upgrade",
      ].map((group) => `apps/cli/src/${group}/*commands.ts`),
      ...["help", "text-table", "browse/daemon-command", "doctor/check", "team/team"].map(
        (name) => `apps/cli/src/${name}.ts`,
      ),
      "packages/brain/src/precheck/report.ts",
      "packages/brain/src/quoting/quoted.ts",
      "packages/browse/src/command.ts",
      "packages/browse/src/commands/",
      "packages/protocol/src/",
      "packages/skills/src/",
    ],
  },
  /** A command that asks the server. */
  client: {
    words: ["run", "list"],
    may: [
      ...anyCommand,
      ...anyClient,
      "apps/cli/src/fitted.ts",
      "apps/cli/src/run/",
      "packages/protocol/src/backend-name.ts",
      "packages/protocol/src/run-care.ts",
      "packages/protocol/src/run-talk.ts",
      "packages/protocol/src/runs.ts",
    ],
  },
  /** In a folder that is no repository, with the local server: no git, and nothing about signing in or alerts. */
  syncStatus: {
    words: ["sync", "status"],
    may: [
      ...anyCommand,
      ...["client", "state"].map((name) => `apps/cli/src/server/${name}.ts`),
      ...["commands", "setup-commands", "connection", "membership", "place", "status", "sync-log"].map(
        (name) => `apps/cli/src/sync/${name}.ts`,
      ),
      "apps/cli/src/data/amounts.ts",
      "apps/cli/src/text-table.ts",
      "packages/git/src/checkout.ts",
      ...["eval-enums", "failure", "records", "server-state"].map((name) => `packages/protocol/src/${name}.ts`),
      "packages/team/src/cache/team-cache.ts",
      "packages/team/src/drain/",
      "packages/team/src/remote/",
      "packages/team/src/repository/local-name.ts",
      "packages/team/src/spool/",
    ],
  },
  /** An agent's command to a running browser; as frequent as a hook. No module of Node either: node:fs alone takes 1 ms. */
  browseClient: {
    words: ["browse", "click", "@e1"],
    may: [
      "apps/cli/src/main.ts",
      ...["ask-socket", "quick", "this-executable"].map((name) => `apps/cli/src/browse/${name}.ts`),
      ...["default-session", "patience", "quick", "socket-path", "wire"].map(
        (name) => `packages/browse/src/client/${name}.ts`,
      ),
      ...["environment", "error-report", "version"].map((name) => `packages/core/src/${name}.ts`),
    ],
  },
  /** What agents call after every edit. */
  hook: {
    words: ["hook", "claude", "post-tool"],
    may: [
      "apps/cli/src/main.ts",
      "apps/cli/src/server/self.ts",
      "apps/cli/src/hooks/",
      ...["agents", "edits", "hooks", "presence", "pushes"].map((folder) => `packages/brain/src/${folder}/`),
      "packages/core/src/",
      "packages/git/src/checkout.ts",
      "packages/team/src/repository/local-name.ts",
      "packages/team/src/spool/",
    ],
  },
  up: { words: ["up", "-d"], may: [...anyCommand, ...anyClient, "apps/cli/src/server/"] },
  down: {
    words: ["down"],
    may: [...anyCommand, ...anyClient, ...logging, "apps/cli/src/server/", "packages/db/src/postgres/"],
  },
  /** The server, from its start until it answers `up`. */
  server: {
    words: ["daemon"],
    may: [
      ...anyCommand,
      ...logging,
      "apps/cli/src/embedded.ts",
      "packages/brain/src/symbols/grammars-of-package.ts",
      "apps/cli/src/server/",
      "apps/server/src/",
      "node_modules/hono/",
      "node_modules/postgres/",
      "packages/db/",
      ...[
        "alerts",
        "auth",
        "brain",
        "changes",
        "eval-enums",
        "metrics",
        "records",
        "rpc",
        "server-state",
        "status",
        "team-row",
      ].map((name) => `packages/protocol/src/${name}.ts`),
      "packages/redact/src/",
      "packages/runs/src/unfinished-runs.ts",
    ],
  },
} as const satisfies Readonly<Record<string, StartPath>>;

/** `modules`: each loaded file, with a file that imports it. */
export function startPathFaults(
  may: readonly string[],
  modules: ReadonlyMap<string, string | undefined>,
): readonly string[] {
  return [...modules]
    .filter(([file]) => !may.some((allowed) => covers(allowed, file)))
    .map(([file, importer]) => (importer === undefined ? file : `${file}, imported by ${importer}`));
}

function covers(allowed: string, file: string): boolean {
  if (allowed.endsWith("/")) return file.startsWith(allowed);
  const [before = "", after] = allowed.split("*");
  return after === undefined ? file === allowed : file.startsWith(before) && file.endsWith(after);
}
