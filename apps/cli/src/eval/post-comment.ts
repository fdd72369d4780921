/**
 * Posts one comment to a pull request, or replaces the earlier one, found by the marker in its first line. Uses `gh`, which
 * has the user's sign-in; Devflow stores none.
 *
 * - `postComment(comment)` returns what was done, or undefined without `gh`.
 */
import { spawn } from "node:child_process";
import type { CommandContext } from "@devflow/core/command";
import { inheritedEnvironment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";

export interface PostedComment {
  readonly action: "created" | "replaced";
  readonly number: number;
  readonly url: string | null;
}

export interface CommentToPost {
  readonly body: string;
  readonly marker: string;
  readonly number: number | undefined;
  readonly context: Pick<CommandContext, "cwd" | "env" | "signal">;
}

export async function postComment({
  body,
  marker,
  number,
  context,
}: CommentToPost): Promise<PostedComment | undefined> {
  const gh = (words: readonly string[], input?: string) => runGh(words, input, context);
  if (!(await gh(["--version"]))) return undefined;
  const pr =
    number ??
    pullRequestOf(context.env) ??
    Number(await answered(gh(["pr", "view", "--json", "number", "--jq", ".number"])));
  if (!Number.isInteger(pr) || pr < 1) throw failed("this branch has no open pull request");
  const listed = await answered(
    gh(["api", "--paginate", `repos/{owner}/{repo}/issues/${pr}/comments?per_page=100`, "--jq", ".[] | {id, body}"]),
  );
  const own = listed
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { id: number; body: string })
    .find((one) => one.body.startsWith(marker));
  const input = JSON.stringify({ body });
  const words = own
    ? ["api", "--method", "PATCH", `repos/{owner}/{repo}/issues/comments/${own.id}`, "--input", "-"]
    : ["api", "--method", "POST", `repos/{owner}/{repo}/issues/${pr}/comments`, "--input", "-"];
  const answer = JSON.parse((await answered(gh(words, input))) || "{}") as { html_url?: string };
  return { action: own ? "replaced" : "created", number: pr, url: answer.html_url ?? null };
}

/** GitHub Actions names the pull request in GITHUB_REF. */
function pullRequestOf(env: CommandContext["env"]): number | undefined {
  const found = /^refs\/pull\/(\d+)\//.exec(env.GITHUB_REF ?? "")?.[1];
  return found ? Number(found) : undefined;
}

interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function answered(answer: Promise<Answer | undefined>): Promise<string> {
  const { code, stdout, stderr } = (await answer) ?? { code: 127, stdout: "", stderr: "gh was not found" };
  if (code !== 0) throw failed(stderr.trim().slice(0, 1000) || `gh exited with ${code}`);
  return stdout.trim();
}

function failed(reason: string): DevflowError {
  const next = "Check gh with: gh auth status; or print the comment: devflow eval comment";
  return new DevflowError("input_invalid", { details: { problem: `The comment was not posted: ${reason}.`, next } });
}

/** Undefined if gh is not installed. */
function runGh(words: readonly string[], input: string | undefined, context: CommentToPost["context"]) {
  return new Promise<Answer | undefined>((resolve, reject) => {
    const child = spawn("gh", words, {
      cwd: context.cwd,
      env: inheritedEnvironment(context.env),
      signal: context.signal,
      stdio: ["pipe", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? resolve(undefined) : reject(error)));
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.on("error", () => {});
    child.stdin.end(input ?? "");
  });
}
