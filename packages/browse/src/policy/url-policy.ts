/**
 * Which URLs may be opened and which hosts may be reached.
 *
 * - `checkUrl(url)` for typed URLs; throws `browse_url_refused`.
 * - `hostRefusal(host)` for every connection of Chromium, by host name: redirects, frames, workers, sockets and popups.
 *   Addresses are checked afterwards, when connecting.
 *
 * Rules only narrow; what is always forbidden cannot be allowed. Hosts are compared on parsed URLs.
 */
import { isIP } from "node:net";
import { fileURLToPath } from "node:url";
import { DevflowError } from "@devflow/core/errors";
import type { PolicyGate } from "../command.ts";
import { forbiddenAddress, forbiddenName } from "./addresses.ts";

export interface HostRules {
  /** If empty, all hosts that are not forbidden. */
  readonly allow: readonly string[];
  readonly block: readonly string[];
}

export interface UrlPolicyOptions {
  /** A host has to pass all of them. */
  readonly rules: () => readonly HostRules[];
  /** Why a file may not be opened; undefined when it may. */
  readonly fileRefusal: (path: string) => string | undefined;
}

export const alwaysForbidden = [
  "file: outside the workspace and the temp folder, also with view-source:",
  "chrome:, devtools:, javascript: and all other schemes except http, https, data, about:blank and blob",
  "169.254.0.0/16, fe80::/10, fd00::/8 and cloud metadata services, under any name or notation",
];

export class UrlPolicy implements PolicyGate {
  readonly #options: UrlPolicyOptions;

  constructor(options: UrlPolicyOptions) {
    this.#options = options;
  }

  checkUrl(url: string): void {
    const reason = this.urlRefusal(url);
    if (reason) throw new DevflowError("browse_url_refused", { details: { url: shown(url), reason } });
  }

  urlRefusal(url: string): string | undefined {
    const inner = /^\s*(?:view-source|blob|filesystem):(.*)$/is.exec(url)?.[1];
    if (inner !== undefined) return inner === "null" || /^null\//.test(inner) ? undefined : this.urlRefusal(inner);
    let parsed: URL;
    try {
      parsed = new URL(url);
    } catch {
      return "it is not a valid URL; give the full URL, with https://";
    }
    switch (parsed.protocol) {
      case "http:":
      case "https:":
      case "ws:":
      case "wss:":
        return this.hostRefusal(parsed.hostname);
      case "data:":
        return undefined;
      case "about:":
        return /^about:(?:blank|srcdoc)(?:[?#].*)?$/.test(parsed.href)
          ? undefined
          : "Chromium's own pages cannot be opened";
      case "file:":
        return this.#fileUrlRefusal(parsed);
      default:
        return `${parsed.protocol} URLs cannot be opened`;
    }
  }

  hostRefusal(host: string): string | undefined {
    const name = normalHost(host);
    const address = isIP(name) ? forbiddenAddress(name) : undefined;
    const forbidden = address ?? forbiddenName(name);
    if (forbidden) return forbidden;
    for (const { allow, block } of this.#options.rules()) {
      if (block.some((pattern) => matches(pattern, name))) return `${name} is blocked by policy`;
      if (allow.length > 0 && !allow.some((pattern) => matches(pattern, name)))
        return `${name} is not on the allow-list`;
    }
    return undefined;
  }

  #fileUrlRefusal(url: URL): string | undefined {
    if (url.hostname !== "") return "it is a file: URL of another host";
    try {
      return this.#options.fileRefusal(fileURLToPath(url));
    } catch {
      return "it does not name a file";
    }
  }
}

/** `Example.COM.` and `example.com` are the same host; brackets belong to the URL, not to the address. */
export function normalHost(host: string): string {
  const name = host.toLowerCase().replace(/^\[|\]$/g, "");
  return name.replace(/\.+$/, "");
}

/** `example.com`, or `*.example.com` for it and all subdomains. Capitals and Unicode are allowed. */
function matches(pattern: string, host: string): boolean {
  const isDomain = pattern.startsWith("*.");
  const bare = parsedHost(isDomain ? pattern.slice(2) : pattern);
  return host === bare || (isDomain && host.endsWith(`.${bare}`));
}

function parsedHost(name: string): string {
  try {
    return normalHost(new URL(`http://${name.includes(":") && !name.startsWith("[") ? `[${name}]` : name}`).hostname);
  } catch {
    return normalHost(name);
  }
}

/** For messages: without a password, and shortened. */
function shown(url: string): string {
  const plain = url.replace(/\/\/[^/@\s]*@/, "//…@");
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}
