/**
 * GitHub's own command line, `gh`, as the way to its API: it knows where the person is signed in.
 *
 * - `ghIsSignedIn(host, options)` false when gh is not installed, too.
 * - `ghRequest(request, options)` one call of `gh api`; the body goes through standard input, never into an argument.
 */
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import type { Environment } from "@devflow/core/config";
import type { ForgeAnswer, ForgeMethod } from "./forge-api.ts";
import { unreachable } from "./forge-api.ts";

interface GhOptions {
  readonly env: Environment;
  readonly signal?: AbortSignal;
}

const timeoutMs = 30_000;
const maxBytes = 4 * 1024 * 1024;

export async function ghIsSignedIn(host: string, options: GhOptions): Promise<boolean> {
  // Without asking the network: what it has stored, or finds in its variables.
  const { exit, stdout } = await gh(["auth", "token", "--hostname", host], options);
  return exit === 0 && stdout.trim() !== "";
}

interface GhRequest {
  readonly host: string;
  readonly method: ForgeMethod;
  readonly path: string;
  readonly body?: unknown;
}

export async function ghRequest({ host, method, path, body }: GhRequest, options: GhOptions): Promise<ForgeAnswer> {
  const input = body === undefined ? [] : ["--input", "-"];
  const words = ["api", "--hostname", host, "--method", method, "--include", ...input, `/${path}`];
  const { stdout, stderr, exit } = await gh(words, options, body === undefined ? undefined : JSON.stringify(body));
  const answer = parseIncluded(stdout);
  if (answer) return answer;
  throw unreachable(host, stderr.trim().split("\n")[0] || `gh exited with ${exit}`);
}

/** `--include` prints the status line and the headers before the body. */
function parseIncluded(text: string): ForgeAnswer | undefined {
  const status = /^HTTP\/[\d.]+ (\d{3})/.exec(text)?.[1];
  if (!status) return undefined;
  const end = /\r?\n\r?\n/.exec(text);
  return { status: Number(status), text: end ? text.slice(end.index + end[0].length) : "" };
}

interface GhResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

/** In the system's temporary folder: a repository's configuration has nothing to say here. */
function gh(words: readonly string[], { env, signal }: GhOptions, input?: string): Promise<GhResult> {
  return new Promise((resolve) => {
    const child = spawn("gh", [...words], {
      cwd: tmpdir(),
      env: { ...env, GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", NO_COLOR: "1", GH_PAGER: "cat" },
      stdio: ["pipe", "pipe", "pipe"],
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (stdout.length > maxBytes) child.kill();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < 10_000) stderr += text;
    });
    // Not installed, or too slow.
    child.on("error", (error) => resolve({ stdout: "", stderr: error.message, exit: -1 }));
    child.on("close", (code) => resolve({ stdout, stderr, exit: code ?? -1 }));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
