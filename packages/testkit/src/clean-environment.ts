/**
 * The environment of an unconfigured machine: what a child process needs to run, and nothing of the user who runs the tests
 * (no `DEVFLOW_*`, no keys, no tokens, no agent settings).
 *
 * - `cleanEnvironment(home, extra)` for a child process; `extra` takes precedence.
 * - `scrubEnvironment(environment)` the names in `environment` that a test must not see.
 */
import { tmpdir } from "node:os";
import { tagged } from "./test-tag.ts";

/** Certificates are included because an agent or npm behind a company proxy cannot use TLS without them. */
const kept = [
  "PATH",
  "LANG",
  "LC_ALL",
  "TZ",
  "TMPDIR",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
] as const;

export function cleanEnvironment(
  home: { readonly path: string; readonly devflowHome?: string },
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const inherited = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  return tagged({
    TMPDIR: tmpdir(),
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    ...inherited,
    HOME: home.path,
    ...(home.devflowHome ? { DEVFLOW_HOME: home.devflowHome } : {}),
    ...extra,
  });
}

/** What the test runner itself passes on; any other DEVFLOW_* variable belongs to the user who runs the tests. */
const ofTheRun = /^DEVFLOW_TEST_/;
const personal = [
  /^DEVFLOW_/,
  /^(ANTHROPIC|CLAUDE|CLAUDE_CODE|OPENAI|CODEX|GEMINI)_/,
  /^CLAUDECODE$/,
  /^(GITHUB|GH|GITLAB|NPM|NODE_AUTH|AWS|GOOGLE|AZURE|SUPABASE)_.*(TOKEN|KEY|SECRET|CREDENTIALS)/,
  /^(DATABASE_URL|PG(HOST|PORT|USER|PASSWORD|DATABASE|SERVICE|PASSFILE))$/,
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|CONFIG.*|AUTHOR_.*|COMMITTER_.*)$/,
  /^TMUX/,
  // `bun test --no-orphans` passes this on, and every child Bun would then kill the daemons it should leave running.
  /^BUN_FEATURE_FLAG_NO_ORPHANS$/,
];

export function scrubEnvironment(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment).filter((name) => !ofTheRun.test(name) && personal.some((one) => one.test(name)));
}
