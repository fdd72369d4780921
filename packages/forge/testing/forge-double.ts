/**
 * A forge on loopback for tests: the real git behind HTTP, and the routes of GitHub, GitLab and Gitea that Devflow uses, as
 * their documentation describes them. As an HTTP proxy it also answers for `github.localhost`, which is how the real `gh` is
 * led to it.
 *
 * - `startForge(options)` listens; `addRepository(path)` makes a bare repository, `pulls` and `issues` are what it holds,
 *   `requests` what it was asked.
 */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { runProcess, temporaryFolder } from "@devflow/testkit";

interface DoublePull {
  readonly number: number;
  title: string;
  body: string;
  readonly head: { readonly ref: string };
  readonly base: { readonly ref: string };
  readonly draft: boolean;
  readonly html_url: string;
}

export interface DoubleIssue {
  readonly title: string;
  readonly body: string;
  readonly comments: readonly string[];
}

export interface DoubleComment {
  readonly id: number;
  readonly pull: number;
  body: string;
}

export interface DoubleCheck {
  readonly name: string;
  readonly head_sha: string;
  readonly conclusion: string;
  readonly output: { readonly title: string; readonly summary: string };
}

export interface ForgeDouble {
  readonly url: string;
  readonly host: string;
  readonly requests: { readonly method: string; readonly path: string; readonly token: string | undefined }[];
  readonly pulls: DoublePull[];
  readonly issues: Map<number, DoubleIssue>;
  /** On pull requests, and checks of commits; GitHub only. */
  readonly comments: DoubleComment[];
  readonly checks: DoubleCheck[];
  /** The environment that leads git and gh to it under the name github.localhost. */
  readonly proxied: Readonly<Record<string, string>>;
  /** A bare repository, reachable as `<url>/<path>.git`; returns its folder. */
  addRepository(path: string, options?: { readonly isGitLab?: boolean }): Promise<string>;
  /** The push options that a GitLab repository received, push by push. */
  pushOptions(path: string): string[][];
  /** Answer the next API requests with this status. */
  refuse(status: number | undefined, body?: string): void;
  stop(): Promise<void>;
}

export async function startForge(): Promise<ForgeDouble> {
  const root = temporaryFolder("forge");
  const requests: ForgeDouble["requests"] = [];
  const pulls: DoublePull[] = [];
  const issues = new Map<number, DoubleIssue>();
  const comments: DoubleComment[] = [];
  const checks: DoubleCheck[] = [];
  let refusal: { status: number; body: string } | undefined;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    if (url.pathname.includes(".git/")) return serveGit(root, url, request, response);
    void textOf(request).then((body) => {
      const token = String(request.headers.authorization ?? request.headers["private-token"] ?? "") || undefined;
      requests.push({ method: request.method ?? "GET", path: `${url.pathname}${url.search}`, token });
      if (refusal) return answer(response, refusal.status, refusal.body);
      const path = url.pathname.replace(/^\/api\/v\d/, "");
      const found = answerTo(path, request.method ?? "GET", body, {
        ...{ pulls, issues, comments, checks },
        site: `http://${url.host}`,
      });
      answer(
        response,
        found ? (request.method === "POST" ? 201 : 200) : 404,
        JSON.stringify(found ?? { message: "Not Found" }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const proxy = `http://127.0.0.1:${port}`;
  return {
    url: proxy,
    host: `127.0.0.1:${port}`,
    requests,
    pulls,
    issues,
    comments,
    checks,
    proxied: { http_proxy: proxy, HTTP_PROXY: proxy },
    async addRepository(path, { isGitLab = false } = {}) {
      const folder = join(root, `${path}.git`);
      mkdirSync(folder, { recursive: true });
      const run = (...words: string[]) => runProcess(["git", ...words], { cwd: folder, env: gitEnvironment(root) });
      await run("init", "--bare", "--quiet", "--initial-branch=main");
      await run("config", "http.receivepack", "true");
      if (isGitLab) {
        await run("config", "receive.advertisePushOptions", "true");
        const hook = join(folder, "hooks", "post-receive");
        mkdirSync(join(folder, "hooks"), { recursive: true });
        writeFileSync(hook, gitLabHook(folder, `${proxy}/${path}`));
        chmodSync(hook, 0o755);
      }
      return folder;
    },
    pushOptions(path) {
      const file = join(root, `${path}.git`, "push-options");
      if (!existsSync(file)) return [];
      const pushes = readFileSync(file, "utf8").split("=== push\n").slice(1);
      return pushes.map((push) => push.split("\n").filter(Boolean));
    },
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
    refuse(status, body = "{}") {
      refusal = status === undefined ? undefined : { status, body };
    },
  };
}

/** What GitLab prints after a push that opened a merge request. */
const gitLabHook = (folder: string, site: string): string => `#!/bin/sh
{ echo "=== push"; i=0; while [ "$i" -lt "\${GIT_PUSH_OPTION_COUNT:-0}" ]; do eval "printf '%s\\\\n' \\"\\$GIT_PUSH_OPTION_$i\\""; i=$((i+1)); done; } >> '${folder}/push-options'
echo
echo "View merge request for the branch:"
echo "  ${site}/-/merge_requests/7"
echo
`;

const gitEnvironment = (root: string) => ({ PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: root });

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(body);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

interface Content extends Pick<ForgeDouble, "pulls" | "issues" | "comments" | "checks"> {
  readonly site: string;
}

function answerTo(path: string, method: string, body: string, content: Content): unknown {
  const { pulls, issues, site } = content;
  const [, pull] = /^\/repos\/[^/]+\/[^/]+\/pulls(?:\/(\d+))?$/.exec(path) ?? [];
  const repository = /^\/repos\/([^/]+\/[^/]+)\//.exec(path)?.[1] ?? "";
  if (/\/pulls$/.test(path) && method === "POST") {
    const given = JSON.parse(body) as { title: string; body: string; head: string; base: string; draft?: boolean };
    const number = pulls.length + 1;
    const made = {
      number,
      title: given.title,
      body: given.body,
      head: { ref: given.head },
      base: { ref: given.base },
      draft: given.draft ?? false,
      html_url: `${site.replace("//api.", "//")}/${repository}/pull/${number}`,
    };
    pulls.push(made);
    return made;
  }
  if (/\/pulls$/.test(path)) return pulls;
  if (pull !== undefined && method === "PATCH") {
    const found = pulls.find(({ number }) => number === Number(pull));
    return found && Object.assign(found, JSON.parse(body));
  }
  const onPull = answerOnPull(path, method, body, content);
  if (onPull !== undefined) return onPull;
  const [, gitHub, gitLab, part] =
    /(?:\/repos\/[^/]+\/[^/]+\/issues\/(\d+)|\/projects\/[^/]+\/issues\/(\d+))(\/\w+)?$/.exec(path) ?? [];
  const issue = issues.get(Number(gitHub ?? gitLab));
  if (!issue) return undefined;
  if (part === "/comments") return issue.comments.map((text) => ({ body: text, user: { login: "carol" } }));
  if (part === "/notes") {
    const notes = issue.comments.map((text) => ({ body: text, author: { username: "carol" }, system: false }));
    return [{ body: "changed the description", author: null, system: true }, ...notes];
  }
  return gitHub
    ? { title: issue.title, body: issue.body, user: { login: "bob" }, comments: issue.comments.length }
    : {
        title: issue.title,
        description: issue.body,
        author: { username: "bob" },
        user_notes_count: issue.comments.length,
      };
}

/** Comments on a pull request, and checks, as GitHub has them. */
function answerOnPull(
  path: string,
  method: string,
  body: string,
  { issues, comments, checks, site }: Content,
): unknown {
  if (method === "POST" && path.endsWith("/check-runs")) {
    checks.push(JSON.parse(body) as DoubleCheck);
    return { id: checks.length };
  }
  const changed = /\/issues\/comments\/(\d+)$/.exec(path)?.[1];
  if (changed !== undefined && method === "PATCH") {
    const found = comments.find(({ id }) => id === Number(changed));
    return found && Object.assign(found, JSON.parse(body));
  }
  const pull = Number(/\/repos\/[^/]+\/[^/]+\/issues\/(\d+)\/comments$/.exec(path)?.[1]);
  if (Number.isNaN(pull) || issues.has(pull)) return undefined;
  if (method !== "POST") return comments.filter((one) => one.pull === pull);
  const made = { id: comments.length + 1, pull, body: (JSON.parse(body) as { body: string }).body };
  comments.push(made);
  return { ...made, html_url: `${site}/comment/${made.id}` };
}

/** Git's own CGI program. */
function serveGit(root: string, url: URL, request: IncomingMessage, response: ServerResponse): void {
  const backend = spawn("git", ["http-backend"], {
    env: {
      ...gitEnvironment(root),
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? "GET",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REMOTE_ADDR: "127.0.0.1",
      DEVFLOW_TEST_TAG: process.env.DEVFLOW_TEST_TAG ?? "",
    },
  });
  request.pipe(backend.stdin);
  backend.stdin.on("error", () => {});
  const chunks: Buffer[] = [];
  backend.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  backend.on("close", () => {
    const whole = Buffer.concat(chunks);
    const end = whole.indexOf("\r\n\r\n");
    const headers = Object.fromEntries(
      whole
        .subarray(0, end)
        .toString("latin1")
        .split("\r\n")
        .map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]),
    );
    response.writeHead(Number(/^\d+/.exec(headers.Status ?? "200")?.[0]), headers).end(whole.subarray(end + 4));
  });
}
