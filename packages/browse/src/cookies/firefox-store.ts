/**
 * Firefox's `cookies.sqlite`. Values are not encrypted; the format changed over time.
 *
 * - `readFirefoxCookies(path)` its cookies, without those of containers, which have no equivalent here.
 */
import type { DatabaseSync } from "node:sqlite";
import { Secret } from "@devflow/core/secret";
import { withCopiedDatabase } from "./copied-database.ts";
import { type CookieReading, type ImportedCookie, reasonCounter } from "./imported-cookie.ts";

interface Row {
  readonly host: string;
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly expiry: number;
  readonly isSecure: number;
  readonly isHttpOnly: number;
  readonly sameSite: number;
  readonly rawSameSite: number | null;
  readonly originAttributes: string;
}

/** The schema version since which expiry is in milliseconds (Firefox 142). */
const millisecondsSince = 16;

export async function readFirefoxCookies(path: string): Promise<CookieReading> {
  const { rows, version } = await withCopiedDatabase(path, readRows);
  const unreadable = reasonCounter();
  const cookies = rows.flatMap((row): ImportedCookie[] => {
    const origin = new URLSearchParams(row.originAttributes.replace(/^\^/, ""));
    if ((origin.get("userContextId") ?? "0") !== "0") {
      unreadable.add("in a Firefox container");
      return [];
    }
    return [
      {
        domain: row.host,
        name: row.name,
        value: new Secret(row.value),
        path: row.path,
        expires: version >= millisecondsSince ? Math.floor(row.expiry / 1000) : row.expiry,
        secure: row.isSecure !== 0,
        httpOnly: row.isHttpOnly !== 0,
        sameSite: sameSiteOf(row, version),
        partitionKey: partitionOf(origin.get("partitionKey")),
      },
    ];
  });
  return { cookies, unreadable: unreadable.counts };
}

function readRows(database: DatabaseSync): { rows: Row[]; version: number } {
  const { user_version: version } = database.prepare("pragma user_version").get() as { user_version: number };
  const columns = new Set(
    database
      .prepare("pragma table_info(moz_cookies)")
      .all()
      .map((one) => String(one.name)),
  );
  const raw = columns.has("rawSameSite") ? "rawSameSite" : "null as rawSameSite";
  const rows = database
    .prepare(
      `select host, name, value, path, expiry, isSecure, isHttpOnly, sameSite, ${raw}, originAttributes from moz_cookies`,
    )
    .all() as unknown as Row[];
  return { rows, version };
}

/** Versions 10 to 14 stored a missing attribute as Lax, and what the site had set in a second column. */
function sameSiteOf({ sameSite, rawSameSite }: Row, version: number): ImportedCookie["sameSite"] {
  if (version >= 10 && version <= 14 && sameSite === 1 && rawSameSite === 0) return undefined;
  return ({ 0: "None", 1: "Lax", 2: "Strict" } as const)[sameSite];
}

/** `(https,example.com)`, with a port if it is not the default. */
function partitionOf(key: string | null): string | undefined {
  const [, scheme, host, port] = /^\((https?),([^,)]+)(?:,(\d+))?/.exec(key ?? "") ?? [];
  return scheme && host ? `${scheme}://${host}${port ? `:${port}` : ""}` : undefined;
}
