/**
 * A port and what stands before it.
 *
 * - `listen(config, limits, handle, log)` binds, or fails with `port_in_use` and the command that helps.
 * - `closableGate(handle)` turns requests away once it is closed; `answered(server, limitMs)` waits for those let in.
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
      // Outside of development Bun shares a port by default: a second server would start in silence, and any other
      // process of this account could take a part of the requests, tokens included.
      reusePort: false,
      // Bun would answer without a body; `readBody` refuses earlier and in JSON.
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

/** Turns requests away once closed; what was let in before is answered. */
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
 * Resolves when every request has its whole answer, or after the limit. Not when every connection is closed: one that
 * has sent half a request would hold the server up.
 */
export async function answered(server: Bun.Server<undefined>, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(10);
}

export function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
