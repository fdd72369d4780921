/**
 * How to reach a Postgres: one shape for a Unix socket, a host, and an operator's URL.
 *
 * - `connect(target, options)` a postgres.js pool that reads nothing from the environment.
 * - `targetFromUrl(url)` reads user, password, host, database and `sslmode`, as libpq would.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP, type Socket } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { DevflowError } from "@devflow/core/errors";
import { Secret } from "@devflow/core/secret";
import postgres from "postgres";
import { jsonbType } from "./jsonb.ts";

export const tlsModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
export type TlsMode = (typeof tlsModes)[number];

export interface ConnectionTarget {
  /** A host name, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: Secret;
  readonly database?: string;
  readonly tls?: { readonly mode: TlsMode; readonly rootCertificate?: string };
  /**
   * Behind a pooler in transaction mode a prepared statement may run on another connection than it was prepared on, and
   * LISTEN hears nothing: neither is used.
   */
  readonly pooled?: boolean;
}

export interface ConnectOptions {
  readonly database: string;
  readonly max?: number;
  /** Queries the server for its array types, so that arrays can be passed and read; one query per connection. */
  readonly arrays?: boolean;
  readonly idleSeconds?: number;
  readonly connectSeconds?: number;
  readonly onClose?: () => void;
  /** Called for each connection, instead of a socket of the driver's own. */
  readonly socket?: () => Promise<Socket>;
  readonly onNotify?: (channel: string, text: string) => void;
}

/** Names the connections of this process in `pg_stat_activity`. */
export const applicationName = `devflow:${process.pid}:${randomBytes(3).toString("hex")}`;

export type Sql = postgres.Sql;
/** What runs inside a transaction: statements, and the helpers that build them. */
export type Transaction = postgres.ISql;

export function connect(target: ConnectionTarget, options: ConnectOptions): Sql {
  const sql = postgres({
    host: target.host,
    port: target.port,
    user: target.user,
    pass: target.password.reveal(),
    database: options.database,
    max: options.max ?? 1,
    ssl: tlsOptions(target),
    prepare: !(target.pooled ?? false),
    fetch_types: options.arrays ?? false,
    idle_timeout: options.idleSeconds ?? 0,
    // A connection closed because of its age would end a LISTEN or a lock that someone relies on.
    max_lifetime: null,
    connect_timeout: options.connectSeconds ?? 10,
    backoff: (retries: number) => Math.min(0.02 * 2 ** retries, 1),
    connection: { application_name: applicationName },
    types: { jsonb: jsonbType, bigint: bigintType },
    onnotice: () => {},
    ...(options.onClose ? { onclose: options.onClose } : {}),
    ...(options.socket ? { socket: options.socket } : {}),
    ...(options.onNotify ? { onnotify: options.onNotify } : {}),
  });
  // The type of jsonb is a detail that callers do not see.
  return sql as unknown as Sql;
}

/** One connection with the target's own rights, for commands and tests; never for requests. */
export function connectAsAdmin(target: ConnectionTarget, database: string): Sql {
  return connect(target, { database, arrays: true });
}

/** A seq or a count is a number; values that a number cannot represent exactly stay text. */
const bigintType = {
  to: 20,
  from: [20],
  serialize: (value: unknown): string => String(value),
  parse: (text: string): number | string => (Number.isSafeInteger(Number(text)) ? Number(text) : text),
};

export function targetFromUrl(secret: Secret): ConnectionTarget & { readonly database: string } {
  const url = parseUrl(secret);
  const query = url.searchParams;
  const mode = query.get("sslmode") ?? "prefer";
  if (!isTlsMode(mode)) throw unusable(`sslmode=${mode} is not one of ${tlsModes.join(", ")}`);
  const rootCertificate = query.get("sslrootcert") ?? undefined;
  const user = decodeURIComponent(url.username);
  const database = decodeURIComponent(url.pathname.slice(1)) || user;
  const host = query.get("host") ?? decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ""));
  if (!user) throw unusable("it names no user");
  if (!host) throw unusable("it names no host");
  return {
    host,
    port: Number(url.port || query.get("port") || 5432),
    user,
    password: new Secret(decodeURIComponent(url.password)),
    database,
    tls: rootCertificate === undefined ? { mode } : { mode, rootCertificate },
    pooled: query.get("pgbouncer") === "true",
  };
}

function parseUrl(secret: Secret): URL {
  try {
    return new URL(secret.reveal());
  } catch {
    // The text contains a password, so neither it nor the parser's message may be passed on.
    throw unusable("it is not postgres://user:password@host/database");
  }
}

/** The modes have libpq's meaning: `require` encrypts, `verify-ca` checks the signer, `verify-full` also the name. */
function tlsOptions({ host, tls }: ConnectionTarget) {
  const mode = host.startsWith("/") ? "disable" : (tls?.mode ?? "prefer");
  const certificate = tls?.rootCertificate;
  switch (mode) {
    case "disable":
      return false;
    case "allow":
    case "prefer":
      return "prefer";
    case "require":
      // As in libpq: with a root certificate, `require` checks the signer.
      return certificate && certificate !== "system"
        ? { ca: readCertificate(certificate), checkServerIdentity: () => undefined }
        : { rejectUnauthorized: false };
    case "verify-ca":
      return { ...authority(certificate), checkServerIdentity: () => undefined };
    case "verify-full":
      return {
        ...authority(certificate),
        // An IP address has no server name to send, but is checked against the certificate like a name.
        ...(isIP(host) ? {} : { servername: host }),
        checkServerIdentity: (_: string, found: PeerCertificate) => checkServerIdentity(host, found),
      };
  }
}

function authority(certificate: string | undefined) {
  return certificate === undefined || certificate === "system" ? {} : { ca: readCertificate(certificate) };
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unusable(`its sslrootcert ${path} cannot be read (${(error as { code?: string }).code})`);
  }
}

function isTlsMode(mode: string): mode is TlsMode {
  return (tlsModes as readonly string[]).includes(mode);
}

function unusable(reason: string): DevflowError {
  return new DevflowError("db_unreachable", { details: { reason: `DEVFLOW_DATABASE_URL cannot be used: ${reason}` } });
}
