/**
 * Whether a request is accepted, decided only from its headers. A page on another site, or on another port of this machine,
 * can make a browser send requests here; all of them are refused.
 *
 * - `allowedHosts(options)` the Host values the server accepts.
 * - `checkRequest(head, hosts, origins)` undefined when the request is accepted, otherwise why not. Without `origins`, a page
 *   of any of the hosts is our own.
 */
export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly host: string | null;
  readonly origin: string | null;
  readonly fetchSite: string | null;
  readonly fetchMode: string | null;
  readonly fetchDest: string | null;
}

/** `allowHosts`: `name` is accepted with this server's port or without one, `name:port` exactly as written. */
export function allowedHosts(options: {
  readonly host: string;
  readonly port: number;
  readonly allowHosts: readonly string[];
}): ReadonlySet<string> {
  const { host, port, allowHosts } = options;
  const own = ["127.0.0.1", "localhost", "[::1]", ...(isWildcard(host) ? [] : [bracketed(host)])];
  const hosts = new Set(own.map((name) => `${name}:${port}`.toLowerCase()));
  for (const given of allowHosts) {
    const name = given.toLowerCase();
    hosts.add(name);
    if (!/:\d+$/.test(name)) hosts.add(`${name}:${port}`);
  }
  return hosts;
}

export function checkRequest(
  head: RequestHead,
  hosts: ReadonlySet<string>,
  origins?: ReadonlySet<string>,
): string | undefined {
  if (head.host === null || !hosts.has(head.host.toLowerCase())) return "the Host header is not allowed";
  const isOwn = (origin: string) => origins?.has(origin.toLowerCase()) ?? isOwnOrigin(origin, hosts);
  if (head.origin !== null && !isOwn(head.origin)) return "it comes from another origin";
  if (head.fetchSite === null || head.fetchSite === "same-origin" || head.fetchSite === "none") return undefined;
  if (isLinkToPage(head)) return undefined;
  return "it comes from another site";
}

/** `null` is the origin of sandboxed frames and files: foreign. */
function isOwnOrigin(origin: string, hosts: ReadonlySet<string>): boolean {
  const match = /^https?:\/\/([^/]+)$/.exec(origin.toLowerCase());
  return match?.[1] !== undefined && hosts.has(match[1]);
}

/** A link from elsewhere may open the page, which contains no secrets; everything else needs the same origin. */
function isLinkToPage({ method, path, fetchMode, fetchDest }: RequestHead): boolean {
  return method === "GET" && fetchMode === "navigate" && fetchDest === "document" && !isServicePath(path);
}

/** Paths that belong to the server and never to the web app. */
export function isServicePath(path: string): boolean {
  return /^\/(?:api|auth|rest|sse|health|metrics)(?:\/|$)/.test(path);
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
