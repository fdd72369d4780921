/**
 * What Codex is asked before its terminal starts, through its app server: whether it is logged in, a thread to continue,
 * and the hashes by which the session's hooks can be trusted.
 *
 * - `prepareThread` makes the thread unless there is one. Naming it makes Codex store it before its first prompt.
 */
import { exitError, untilStoreIsFree } from "../codex/store-taken.ts";
import { startLineProcess } from "../holder/line-process.ts";

interface ThreadOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** As `-c` takes them. */
  readonly settings: readonly string[];
  readonly thread: string | undefined;
  readonly name: string;
}

interface PreparedThread {
  readonly thread: string;
  /** By the hook's key. */
  readonly trusted: Readonly<Record<string, string>>;
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Account {
  readonly account?: object | null;
  readonly requiresOpenaiAuth: boolean;
}

interface ListedHook {
  readonly key: string;
  readonly source: string;
  readonly currentHash: string;
}

export const prepareThread = (options: ThreadOptions): Promise<PreparedThread> =>
  untilStoreIsFree(() => prepareOnce(options));

async function prepareOnce(options: ThreadOptions): Promise<PreparedThread> {
  const { command, cwd, env, settings, thread, name } = options;
  const waiting = new Map<number, (answer: Answer) => void>();
  let fail: (error: Error) => void = () => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  ended.catch(() => undefined);
  const server = await startLineProcess({
    command: [...command, "app-server", ...settings.flatMap((setting) => ["-c", setting])],
    cwd,
    env,
    onLine: (message) => waiting.get((message as Answer).id ?? -1)?.(message as Answer),
    onNoise: () => undefined,
    onExit: (reason) => fail(exitError(`Codex's app server ended: ${reason}`)),
  });
  let requests = 0;
  const ask = async <T>(method: string, params: object): Promise<T> => {
    requests += 1;
    const id = requests;
    const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    server.send({ id, method, params });
    const { result, error } = await Promise.race([answer, ended]);
    if (error) throw new Error(`Codex refused ${method}: ${error.message}`);
    return result as T;
  };
  try {
    await ask("initialize", { clientInfo: { name: "devflow", title: "Devflow", version: "1" } });
    server.send({ method: "initialized" });
    const { account, requiresOpenaiAuth } = await ask<Account>("account/read", {});
    if (requiresOpenaiAuth && !account) throw new Error("Codex is not logged in. Run codex login, and start again.");
    const { data } = await ask<{ data: { hooks: ListedHook[] }[] }>("hooks/list", { cwds: [cwd] });
    const own = data.flatMap(({ hooks }) => hooks).filter(({ source }) => source === "sessionFlags");
    const trusted = Object.fromEntries(own.map(({ key, currentHash }) => [key, currentHash]));
    if (thread !== undefined) return { thread, trusted };
    const { thread: made } = await ask<{ thread: { id: string } }>("thread/start", { cwd });
    await ask("thread/name/set", { threadId: made.id, name });
    return { thread: made.id, trusted };
  } finally {
    await server.end();
  }
}
