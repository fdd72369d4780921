/**
 * One name for one repository, whatever its clones call it.
 *
 * - `canonicalRemote(url)` host and path: `git@github.com:Acme/Shop.git` and `https://github.com/acme/shop` are both
 *   `github.com/acme/shop`. Undefined for a path on this machine.
 */

/** Hosts where upper and lower case are the same repository. */
const caseless = new Set(["github.com", "gitlab.com", "bitbucket.org"]);
const defaultPorts: Readonly<Record<string, string>> = { ssh: "22", https: "443", http: "80", git: "9418" };

export function canonicalRemote(url: string): string | undefined {
  const found = asUrl(url.trim()) ?? asScp(url.trim());
  if (!found) return undefined;
  const host = found.host.toLowerCase().replace(/\.$/, "");
  const path = found.path
    .split("/")
    .filter(Boolean)
    .join("/")
    .replace(/\.git$/i, "");
  if (host === "" || path === "" || path.split("/").includes("..")) return undefined;
  const name = `${host}/${caseless.has(host) ? path.toLowerCase() : path}`;
  return name.length <= 500 ? name : undefined;
}

/** The person and the password in it are nobody's business; a port counts if it is not the usual one. */
function asUrl(text: string): { host: string; path: string } | undefined {
  const [, scheme = "", host = "", port, path = ""] =
    /^(ssh|https|http|git)(?:\+ssh)?:\/\/(?:[^@/]*@)?(\[[0-9a-f:]+\]|[^:/@]+)(?::(\d+))?(\/.*)$/i.exec(text) ?? [];
  if (host === "") return undefined;
  const isUsual = port === undefined || port === defaultPorts[scheme.toLowerCase()];
  return { host: isUsual ? host : `${host}:${port}`, path: withoutQuery(path) };
}

/** `git@host:path`; a letter and a colon would be a drive, and a slash before the colon a path. */
function asScp(text: string): { host: string; path: string } | undefined {
  const [, host = "", path = ""] = /^(?:[^@/:]+@)?([^/:@]{2,}):(?!\/\/|:)(.+)$/.exec(text) ?? [];
  return host === "" ? undefined : { host, path };
}

const withoutQuery = (path: string): string => path.replace(/[?#].*$/, "");
