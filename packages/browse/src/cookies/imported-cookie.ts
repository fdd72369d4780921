/**
 * A cookie of another browser on its way into a context. Its value is a `Secret`: it can be given to the browser and
 * printed by nobody.
 *
 * - `CookieReading` what a store gave, and what in it could not be read, with the reason.
 * - `matchesDomain(cookie, domain)` the domain itself and everything below it.
 * - `domainCounts(cookies)` all that may be shown of them.
 */
import type { Secret } from "@devflow/core/secret";

export interface ImportedCookie {
  /** With a leading dot when subdomains get it too, as browsers store it. */
  readonly domain: string;
  readonly name: string;
  readonly value: Secret;
  readonly path: string;
  /** Seconds since 1970; undefined for a cookie of the session. */
  readonly expires: number | undefined;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  /** Undefined: the site did not say, and the browser decides. That is not the same as Lax. */
  readonly sameSite: "Strict" | "Lax" | "None" | undefined;
  /** The site under whose pages alone it is sent (CHIPS). */
  readonly partitionKey: string | undefined;
}

export interface CookieReading {
  readonly cookies: readonly ImportedCookie[];
  /** Why some could not be read → how many. */
  readonly unreadable: Readonly<Record<string, number>>;
}

export function matchesDomain({ domain }: ImportedCookie, wanted: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/^\./, "").replace(/\.$/, "");
  const [own, asked] = [plain(domain), plain(wanted)];
  return own === asked || own.endsWith(`.${asked}`);
}

export interface DomainCount {
  readonly domain: string;
  readonly count: number;
}

export function domainCounts(cookies: readonly ImportedCookie[]): DomainCount[] {
  const byDomain = Map.groupBy(cookies, ({ domain }) => domain.replace(/^\./, ""));
  return [...byDomain]
    .map(([domain, some]) => ({ domain, count: some.length }))
    .sort((a, b) => b.count - a.count || (a.domain < b.domain ? -1 : 1));
}

/** Counts reasons while a store is read. */
export function reasonCounter(): { add(reason: string): void; readonly counts: Record<string, number> } {
  const counts: Record<string, number> = {};
  return { counts, add: (reason) => (counts[reason] = (counts[reason] ?? 0) + 1) };
}
