/**
 * The environment of a machine where nobody ever set anything: what a child process needs to run, and nothing of the
 * person who runs the tests (no `DEVFLOW_*`, no keys, no tokens, no agent settings).
 *
 * - `cleanEnvironment(home, extra)` for a child process; `extra` wins.
 * - `scrubEnvironment(environment)` the names of `environment` that a test must not see.
 */
import { tmpdir } from "node:os";
import { tagged } from "./test-tag.ts";

/** Certificates are here because an agent or npm behind a company's proxy cannot speak TLS without them. */
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

/** What the test runner itself hands down; everything else named DEVFLOW_* belongs to whoever runs the tests. */
const ofTheRun = /^DEVFLOW_TEST_/;
const personal = [
  /^DEVFLOW_/,
  /^(ANTHROPIC|CLAUDE|CLAUDE_CODE|OPENAI|CODEX|GEMINI)_/,
  /^CLAUDECODE$/,
  /^(GITHUB|GH|GITLAB|NPM|NODE_AUTH|AWS|GOOGLE|AZURE|SUPABASE)_.*(TOKEN|KEY|SECRET|CREDENTIALS)/,
  /^(DATABASE_URL|PG(HOST|PORT|USER|PASSWORD|DATABASE|SERVICE|PASSFILE))$/,
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|CONFIG.*|AUTHOR_.*|COMMITTER_.*)$/,
  /^TMUX/,
  // `bun test --no-orphans` hands this down, and every Bun below would then kill the daemons it is meant to leave.
  /^BUN_FEATURE_FLAG_NO_ORPHANS$/,
];

export function scrubEnvironment(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment).filter((name) => !ofTheRun.test(name) && personal.some((one) => one.test(name)));
}
