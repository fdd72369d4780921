/**
 * The role that serves requests: never a superuser, never one that passes row-level security.
 *
 * - `connectService(…)` a pool as `devflow_server` when the given role is privileged or owns the tables; as the given
 *   role when that one is harmless and may take the roles of requests; otherwise `db_privileges`.
 *
 * The password of `devflow_server` is derived from the given one, so every server that knows the URL arrives at the
 * same password and nothing is stored. It is set only when logging in with it fails.
 */
import { createHmac } from "node:crypto";
import { DevflowError } from "@devflow/core/errors";
import { Secret } from "@devflow/core/secret";
import { type ConnectionTarget, connect, type Sql } from "./connection-target.ts";
import type { ServerFacts } from "./inspect-server.ts";

export const serviceRole = "devflow_server";

export interface ServiceOptions {
  /** Connected as the given role. */
  readonly admin: Sql;
  readonly target: ConnectionTarget;
  readonly database: string;
  readonly facts: ServerFacts;
  readonly poolSize: number;
}

export async function connectService(options: ServiceOptions): Promise<Sql> {
  const { admin, target, facts } = options;
  if (!facts.role.isPrivileged && !facts.role.ownsApp) {
    await requireMembership(admin, facts.role.name);
    return pool(target, options);
  }
  const service = { ...target, user: serviceRole, password: servicePassword(target) };
  const first = await tryPool(service, options);
  if (first) return first;
  await setPassword(admin, facts.role.name, service.password);
  const second = await tryPool(service, options);
  if (second) return second;
  throw new DevflowError("db_unreachable", { details: { reason: `the role ${serviceRole} cannot log in` } });
}

/**
 * Not of the database's name: a role belongs to the whole cluster, and two databases of one cluster would otherwise
 * take turns in changing its password.
 */
export function servicePassword(target: Pick<ConnectionTarget, "user" | "password">): Secret {
  return new Secret(
    createHmac("sha256", target.password.reveal()).update(`${serviceRole} ${target.user}`).digest("base64url"),
  );
}

async function tryPool(target: ConnectionTarget, options: ServiceOptions): Promise<Sql | undefined> {
  const sql = pool(target, options);
  try {
    const [row] = await sql<{ unsafe: boolean }[]>`
      select rolsuper or rolbypassrls as unsafe from pg_roles where rolname = current_user`;
    if (row?.unsafe !== false) throw notHarmless(target.user);
    return sql;
  } catch (error) {
    await sql.end({ timeout: 1 });
    const code = (error as { code?: string }).code;
    if (code === "28P01" || code === "28000") return undefined;
    throw error;
  }
}

function pool(target: ConnectionTarget, { database, poolSize }: ServiceOptions): Sql {
  return connect(target, { database, max: poolSize, arrays: true, idleSeconds: 300 });
}

async function setPassword(admin: Sql, role: string, password: Secret): Promise<void> {
  try {
    // A utility statement takes no parameters; the password is base64url, so it holds no quote.
    await admin.unsafe(`alter role ${serviceRole} with login noinherit password '${password.reveal()}'`);
  } catch (error) {
    if ((error as { code?: string }).code !== "42501") throw error;
    throw new DevflowError("db_privileges", {
      details: {
        role,
        reason: `it may not set the password of ${serviceRole}`,
        next: `Let an administrator run: grant ${serviceRole} to ${role} with admin option; alter role ${role} createrole;`,
      },
    });
  }
}

async function requireMembership(admin: Sql, role: string): Promise<void> {
  const [row] = await admin<{ missing: string | null }[]>`
    select string_agg(name, ', ') as missing from unnest(array['anon', 'authenticated', 'devflow_engine']) as name
    where not pg_has_role(current_user, name, 'set')`;
  if (!row?.missing) return;
  throw new DevflowError("db_privileges", {
    details: {
      role,
      reason: `it may not act as ${row.missing}`,
      next: `Let an administrator run: grant ${row.missing} to ${role} with inherit false, set true;`,
    },
  });
}

function notHarmless(role: string): DevflowError {
  return new DevflowError("db_privileges", {
    details: {
      role,
      reason: "it passes row-level security",
      next: `Let an administrator run: alter role ${role} nosuperuser nobypassrls;`,
    },
  });
}
