/**
 * Pages for tests, served on loopback under several origins.
 *
 * - `startSite(routes)` a server; `url(path, host)` the same page as another site (`127.0.0.1`, `localhost`).
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SiteRequest {
  readonly url: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export type SiteRoute = string | ((asked: SiteRequest) => string | undefined | Promise<string | undefined>);

export interface Site {
  readonly port: number;
  url(path: string, host?: "127.0.0.1" | "localhost"): string;
  close(): Promise<void>;
}

export async function startSite(routes: Readonly<Record<string, SiteRoute>>): Promise<Site> {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://site");
    const route = routes[url.pathname];
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (route === undefined) {
      response.statusCode = 404;
      response.end("<!doctype html><title>Nothing here</title><h1>Nothing here</h1>");
      return;
    }
    const body = typeof route === "string" ? route : await route({ url, request, response });
    if (body !== undefined) response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: (path, host = "127.0.0.1") => `http://${host}:${port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A complete document with this body. */
export function html(body: string, title = "Test page"): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>`;
}
