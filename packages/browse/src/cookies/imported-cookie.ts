/**
 * A cookie imported from another browser. Its value is a `Secret`: it can be passed to the browser but not printed.
 *
 * - `CookieReading` the cookies of a store, and how many could not be read, by reason.
 * - `matchesDomain(cookie, domain)` for the domain and its subdomains.
 * - `domainCounts(cookies)` the only part that may be shown.
 */
import type { Secret } from "@devflow/core/secret";

export interface ImportedCookie {
  /** With a leading dot if it applies to subdomains, as browsers store it. */
  readonly domain: string;
  readonly name: string;
  readonly value: Secret;
  readonly path: string;
  /** Seconds since 1970; undefined for a session cookie. */
  readonly expires: number | undefined;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  /** Undefined if the site did not set it and the browser decides, which is not the same as Lax. */
  readonly sameSite: "Strict" | "Lax" | "None" | undefined;
  /** The only top-level site under which it is sent (CHIPS). */
  readonly partitionKey: string | undefined;
}

export interface CookieReading {
  readonly cookies: readonly ImportedCookie[];
  /** How many could not be read, by reason. */
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
