/**
 * Which repository on which forge a remote is. Pure.
 *
 * - `parseRemote(url, hosts)` undefined for a folder or a host that is not a known forge.
 * - `remoteHost(url)` the host of any remote with one.
 * - `shownRemote(url)` the URL without a password in it.
 */
import type { ForgeHost, ForgeKind } from "./forge-hosts.ts";

export interface ForgeRepository extends ForgeHost {
  readonly kind: ForgeKind;
  readonly host: string;
  /** `https://host`, or what the remote itself uses. */
  readonly site: string;
  /** `owner/name`; on GitLab with all groups. */
  readonly path: string;
}

export function parseRemote(url: string, hosts: readonly ForgeHost[]): ForgeRepository | undefined {
  const place = placeOf(url);
  const known = hosts.find(({ host }) => host === place?.host);
  if (!place || !known || !/^[\w.-]+(\/[\w.-]+)+$/.test(place.path)) return undefined;
  if (place.path.split("/").some((part) => part === "." || part === "..")) return undefined;
  return { ...known, site: `${place.scheme}://${place.host}`, path: place.path };
}

export const remoteHost = (url: string): string | undefined => placeOf(url)?.host;

export function shownRemote(url: string): string {
  return url.replace(/^([a-z+]+:\/\/)[^@/]*@/i, "$1");
}

interface Place {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly path: string;
}

function placeOf(url: string): Place | undefined {
  // git@host:owner/name.git
  const short = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(url);
  if (short) return { scheme: "https", host: (short[1] ?? "").toLowerCase(), path: plainPath(short[2] ?? "") };
  if (!URL.canParse(url)) return undefined;
  const { protocol, host, hostname, pathname } = new URL(url);
  const path = plainPath(decodeURIComponent(pathname));
  if (protocol === "https:" || protocol === "http:") {
    return { scheme: protocol === "http:" ? "http" : "https", host, path };
  }
  // The port of ssh is not that of the website.
  return protocol === "ssh:" ? { scheme: "https", host: hostname, path } : undefined;
}

const plainPath = (path: string): string =>
  path
    .replace(/^\/+/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
