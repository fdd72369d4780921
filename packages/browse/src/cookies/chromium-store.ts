/**
 * The `Cookies` database of Chromium-based browsers.
 *
 * - `readChromiumCookies(path, keysFor)` its cookies. `keysFor(prefixes)` is called once, with the prefixes that occur, so
 *   that no keyring is unlocked unnecessarily.
 */
import type { DatabaseSync } from "node:sqlite";
import { Secret } from "@devflow/core/secret";
import { type ChromiumKeys, decryptValue } from "./chromium-crypto.ts";
import { withCopiedDatabase } from "./copied-database.ts";
import { type CookieReading, type ImportedCookie, reasonCounter } from "./imported-cookie.ts";

interface Row {
  readonly host: string;
  readonly name: string;
  readonly plain: string;
  readonly encrypted: Uint8Array;
  readonly path: string;
  readonly expires: number | null;
  readonly secure: number;
  readonly http_only: number;
  readonly same_site: number;
  readonly partition: string;
}

export async function readChromiumCookies(
  path: string,
  keysFor: (prefixes: ReadonlySet<string>) => Promise<ChromiumKeys>,
): Promise<CookieReading> {
  const { rows, schemaVersion } = await withCopiedDatabase(path, readRows);
  const prefixes = new Set(rows.map(({ encrypted }) => Buffer.from(encrypted.subarray(0, 3)).toString("latin1")));
  const keys = await keysFor(prefixes);
  const unreadable = reasonCounter();
  const cookies = rows.flatMap((row): ImportedCookie[] => {
    const opened = decryptValue({ ...row, schemaVersion }, keys);
    if ("value" in opened) return [cookieOf(row, opened.value)];
    unreadable.add(opened.unreadable);
    return [];
  });
  return { cookies, unreadable: unreadable.counts };
}

function readRows(database: DatabaseSync): { rows: Row[]; schemaVersion: number } {
  const version = database.prepare("select value from meta where key = 'version'").get() as { value: unknown };
  const columns = new Set(
    database
      .prepare("pragma table_info(cookies)")
      .all()
      .map((one) => String(one.name)),
  );
  const partition = columns.has("top_frame_site_key") ? "top_frame_site_key" : "''";
  const sameSite = columns.has("samesite") ? "samesite" : "-1";
  // Microseconds since 1601 do not fit a double; seconds since 1970 do.
  const rows = database
    .prepare(
      `select host_key as host, name, value as plain, encrypted_value as encrypted, path,
              case when has_expires = 0 then null else expires_utc / 1000000 - 11644473600 end as expires,
              is_secure as secure, is_httponly as http_only, ${sameSite} as same_site, ${partition} as partition
         from cookies`,
    )
    .all() as unknown as Row[];
  return { rows, schemaVersion: Number(version?.value ?? 0) };
}

const sameSites: Readonly<Record<number, ImportedCookie["sameSite"]>> = { 0: "None", 1: "Lax", 2: "Strict" };

function cookieOf(row: Row, value: string): ImportedCookie {
  return {
    domain: row.host,
    name: row.name,
    value: new Secret(value),
    path: row.path,
    expires: row.expires ?? undefined,
    secure: row.secure !== 0,
    httpOnly: row.http_only !== 0,
    sameSite: sameSites[row.same_site],
    partitionKey: row.partition || undefined,
  };
}
