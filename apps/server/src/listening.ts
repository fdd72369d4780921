/**
 * Listening on a port.
 *
 * - `listen(config, limits, handle, log)` binds, or fails with `port_in_use` and a command that helps.
 * - `closableGate(handle)` refuses requests once it is closed; `answered(server, limitMs)` waits for those accepted before.
 */
import type { Config } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import type { Handle } from "./app.ts";
import { failureAnswer } from "./request-checks/failure-answer.ts";

export function listen(
  config: Pick<Config, "host" | "port">,
  { idleTimeoutS }: { readonly idleTimeoutS: number },
  handle: Handle,
  log: Log,
): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: config.host,
      port: config.port,
      idleTimeout: idleTimeoutS,
      development: false,
      // Outside development Bun shares a port by default: a second server would start silently, and any other process of this
      // account could receive some of the requests, including tokens.
      reusePort: false,
      // Bun would respond without a body; `readBody` refuses earlier and in JSON.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: (request, server) => handle(request, server),
      error(error) {
        log.error({ err: error }, "request failed outside of the routes");
        return failureAnswer(error, "/");
      },
    });
  } catch (error) {
    const { host, port } = config;
    const code = (error as { code?: string }).code;
    if (code === "EADDRINUSE") {
      const other = port >= 65_535 ? port - 1 : port + 1;
      throw new DevflowError("port_in_use", { details: { host, port, other }, cause: error });
    }
    const reason = code === "EACCES" ? `this account may not use port ${port}` : (error as Error).message;
    throw new DevflowError("server_start_failed", { details: { reason }, cause: error });
  }
}

/** Refuses requests once closed; those accepted before are answered. */
export function closableGate(handle: Handle) {
  let isClosed = false;
  return {
    handle: (async (request, server) => {
      if (!isClosed) return handle(request, server);
      const answer = failureAnswer(new DevflowError("server_busy"), new URL(request.url).pathname);
      answer.headers.set("connection", "close");
      answer.headers.set("retry-after", "1");
      return answer;
    }) satisfies Handle,
    close() {
      isClosed = true;
    },
  };
}

/**
 * Resolves when every request has been answered completely, or after the limit. It does not wait for connections to close:
 * one that has sent half a request would block the server.
 */
export async function answered(server: Bun.Server<undefined>, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(10);
}

export function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
