/**
 * Codex's app server: JSON-RPC in lines, both ways.
 *
 * - `request` rejects with the server's own words; `respond` and `refuse` answer what the server asks.
 * - Some requests are never answered, such as the interrupt of a turn that has just ended: wait for what they cause.
 */
import { stripVTControlCharacters } from "node:util";
import { type LineProcess, startLineProcess } from "../holder/line-process.ts";

export type Params = Readonly<Record<string, unknown>>;
export type RequestId = string | number;

export interface CodexServer {
  readonly pid: number;
  request<T>(method: string, params: object): Promise<T>;
  notify(method: string): void;
  respond(id: RequestId, result: object): void;
  refuse(id: RequestId, message: string): void;
  end(): Promise<void>;
}

interface CodexServerOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  onRequest(id: RequestId, method: string, params: Params): void;
  onNotification(method: string, params: Params): void;
  onNoise(line: string): void;
  onExit(reason: string): void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const methodNotFound = -32601;

export async function startCodexServer(options: CodexServerOptions): Promise<CodexServer> {
  const waiting = new Map<RequestId, Waiting>();
  let requests = 0;
  const agent: LineProcess = await startLineProcess({
    ...options,
    onLine({ id, method, params, result, error }) {
      if (typeof method === "string") {
        if (isRequestId(id)) options.onRequest(id, method, (params ?? {}) as Params);
        else options.onNotification(method, (params ?? {}) as Params);
        return;
      }
      if (!isRequestId(id)) return;
      const asked = waiting.get(id);
      waiting.delete(id);
      if (error) asked?.reject(new Error((error as { message?: string }).message ?? JSON.stringify(error)));
      else asked?.resolve(result);
    },
    onNoise: (line) => options.onNoise(stripVTControlCharacters(line)),
    onExit: (reason) => options.onExit(stripVTControlCharacters(reason)),
  });
  return {
    pid: agent.pid,
    request<T>(method: string, params: object): Promise<T> {
      requests += 1;
      const id = requests;
      const answer = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
      agent.send({ id, method, params });
      return answer as Promise<T>;
    },
    notify: (method) => agent.send({ method }),
    respond: (id, result) => agent.send({ id, result }),
    refuse: (id, message) => agent.send({ id, error: { code: methodNotFound, message } }),
    end: () => agent.end(),
  };
}

const isRequestId = (id: unknown): id is RequestId => typeof id === "string" || typeof id === "number";
