/**
 * Whether Codex runs Devflow's hooks: it skips those that nobody trusted without a word, so it is asked itself, through its app server.
 *
 * - `codexTrust(env)` how many of Devflow's hooks are not trusted; undefined when Codex is not there or does not say.
 */
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import type { Environment } from "@devflow/core/config";
import { findExecutable } from "@devflow/core/find-executable";

const limitMs = 5_000;

interface ListedHook {
  readonly command?: string;
  readonly trustStatus?: string;
}

interface Message {
  readonly id?: number;
  readonly result?: { readonly data?: readonly { readonly hooks?: readonly ListedHook[] }[] };
}

export async function codexTrust(env: Environment): Promise<number | undefined> {
  const program = await findExecutable(["codex"], env);
  if (!program) return undefined;
  const hooks = await listHooks(program, env);
  const own = hooks?.filter(({ command = "" }) => / hook codex /.test(command));
  if (!own || own.some(({ trustStatus }) => trustStatus === undefined)) return undefined;
  return own.filter(({ trustStatus }) => trustStatus !== "trusted" && trustStatus !== "managed").length;
}

function listHooks(program: string, env: Environment): Promise<readonly ListedHook[] | undefined> {
  const child = spawn(program, ["app-server"], {
    env: { ...env },
    cwd: tmpdir(),
    stdio: ["pipe", "pipe", "ignore"],
    timeout: limitMs,
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  return new Promise((resolve) => {
    const finish = (hooks: readonly ListedHook[] | undefined) => {
      child.kill();
      resolve(hooks);
    };
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const { id, result } = parsed(line);
        if (id === 1) {
          send({ method: "initialized" });
          send({ id: 2, method: "hooks/list", params: { cwds: [tmpdir()] } });
        }
        if (id === 2) finish(result?.data?.flatMap(({ hooks = [] }) => hooks));
      }
    });
    child.on("error", () => finish(undefined));
    child.on("close", () => finish(undefined));
    child.stdin.on("error", () => {});
    send({ id: 1, method: "initialize", params: { clientInfo: { name: "devflow", title: "Devflow", version: "1" } } });
  });
}

function parsed(line: string): Message {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return {};
  }
}
