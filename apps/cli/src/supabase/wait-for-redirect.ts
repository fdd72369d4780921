/**
 * Where a browser comes back to after a provider has signed its person in (RFC 8252): a page on this machine, for one visit.
 *
 * - `waitForRedirect()` `url` to send the browser to; `code(signal)` what it brought. The port is one that is free, so that none can be in
 *   use; the path is secret, so that no other page can bring a code of its own.
 */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DevflowError } from "@devflow/core/errors";
import { shortLine } from "@devflow/core/plain-text";

const limitMs = 10 * 60_000;

export function waitForRedirect() {
  const path = `/callback/${randomBytes(24).toString("base64url")}`;
  const visited = Promise.withResolvers<string>();
  visited.promise.catch(() => undefined);
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const code = url.searchParams.get("code");
    if (url.pathname !== path || request.method !== "GET") return void response.writeHead(404).end();
    const said = code === null ? (url.searchParams.get("error_description") ?? "no code came back") : undefined;
    response.writeHead(200, {
      "content-type": "text/plain; charset=utf-8",
      "content-security-policy": "default-src 'none'",
      connection: "close",
    });
    response.end(
      said === undefined ? "Signed in. You can close this page.\n" : "Signing in failed. See the terminal.\n",
    );
    if (said === undefined) visited.resolve(code ?? "");
    else visited.reject(failed(shortLine(said, 200).replace(/\.$/, "")));
  });
  server.listen(0, "127.0.0.1");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    async code(signal: AbortSignal): Promise<string> {
      const late = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
      const stop = () => visited.reject(failed("nobody came back from the browser within ten minutes"));
      late.addEventListener("abort", stop, { once: true });
      try {
        return await visited.promise;
      } finally {
        late.removeEventListener("abort", stop);
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

function failed(reason: string): DevflowError {
  return new DevflowError("sign_in_refused", { details: { reason, next: "Try again: devflow sync setup" } });
}
