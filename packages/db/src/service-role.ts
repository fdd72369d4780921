/**
 * The role that serves requests: never a superuser, never one that bypasses row-level security.
 *
 * - `serviceLogin(…)` `devflow_server` when the given role is privileged or owns the tables; the given role when it is
 *   unprivileged and may take the request roles; otherwise `db_privileges`.
 * - `workerLogin(…)` the given role, for a worker on another machine.
 * - `earlyLogin(target, database)` tries `devflow_server` before it is known whether it is needed or even exists: on our own
 *   cluster it nearly always is, and connecting takes as long as all the checks before it.
 *
 * The password of `devflow_server` is derived from the given one, so every server that knows the URL derives the same
 * password and nothing is stored. It is set only when logging in with it fails.
 */
import { createHmac } from "node:crypto";
import { DevflowError } from "@devflow/core/errors";
import { Secret } from "@devflow/core/secret";
import { retryClusterRace } from "./cluster-race.ts";
import type { ConnectionTarget } from "./connection-target.ts";
import type { ServerFacts } from "./inspect-server.ts";
import { type Line, openLine } from "./line.ts";

const serviceRole = "devflow_server";

/** The role that serves requests, and an open line if there is one. */
export interface ServiceLogin {
  readonly target: ConnectionTarget;
  readonly line?: Line;
}

export interface ServiceOptions {
  /** Connected as the given role. */
  readonly admin: Line;
  readonly target: ConnectionTarget;
  readonly database: string;
  readonly facts: ServerFacts;
  readonly early?: Promise<ServiceLogin | undefined> | undefined;
}

export function earlyLogin(target: ConnectionTarget, database: string): Promise<ServiceLogin | undefined> {
  // Any problem is found and reported again when the login is needed.
  return tryLogin(serviceOf(target), database).catch(() => undefined);
}

export async function serviceLogin(options: ServiceOptions): Promise<ServiceLogin> {
  const { admin, target, facts } = options;
  const early = await options.early;
  if (!facts.role.isPrivileged && !facts.role.ownsApp) {
    await early?.line?.end();
    await requireMembership(admin, facts.role.name);
    return { target };
  }
  if (early) return early;
  const service = serviceOf(target);
  const first = await tryLogin(service, options.database).catch(throughPooler(target));
  if (first) return first;
  // Another process, or another database, may set the same password at this moment.
  await retryClusterRace(() => setPassword(admin, facts.role.name, service.password));
  const second = await tryLogin(service, options.database).catch(throughPooler(target));
  if (second) return second;
  if (target.pooled) throw unknownToPooler();
  throw new DevflowError("db_unreachable", { details: { reason: `the role ${serviceRole} cannot log in` } });
}

/** The given role itself: it must be able to act as a worker, and as nobody else. */
export async function workerLogin(admin: Line, target: ConnectionTarget, { role }: ServerFacts): Promise<ServiceLogin> {
  if (role.isPrivileged || role.ownsApp) throw notHarmless(role.name);
  await requireMembership(admin, role.name, ["devflow_worker"]);
  return { target };
}

/** A pooler answers for Postgres when it does not know the role, with codes and words of its own. */
const throughPooler =
  (target: ConnectionTarget) =>
  (error: unknown): undefined => {
    if (target.pooled && error instanceof DevflowError && error.code === "db_unreachable") return undefined;
    throw error;
  };

function unknownToPooler(): DevflowError {
  return new DevflowError("db_privileges", {
    details: {
      role: serviceRole,
      reason: "the connection pooler does not let it log in",
      next: `Let the pooler look up its users (PgBouncer: auth_query), or put the address of Postgres itself into DEVFLOW_DATABASE_URL.`,
    },
  });
}

function serviceOf(target: ConnectionTarget): ConnectionTarget {
  return { ...target, user: serviceRole, password: servicePassword(target) };
}

/**
 * Independent of the database's name: a role belongs to the whole cluster, and two databases of one cluster would
 * otherwise take turns changing its password.
 */
function servicePassword(target: Pick<ConnectionTarget, "user" | "password">): Secret {
  return new Secret(
    createHmac("sha256", target.password.reveal()).update(`${serviceRole} ${target.user}`).digest("base64url"),
  );
}

/** A logged-in line; undefined when the role does not exist or has another password. */
async function tryLogin(target: ConnectionTarget, database: string): Promise<ServiceLogin | undefined> {
  const line = openRequestLine(target, database);
  try {
    const [row] = await line.statement<{ unsafe: boolean }[]>`
      select rolsuper or rolbypassrls as unsafe from pg_roles where rolname = current_user`;
    if (row?.unsafe !== false) throw notHarmless(target.user);
    return { target, line };
  } catch (error) {
    await line.end();
    const code = (error as { code?: string }).code;
    if (code === "28P01" || code === "28000") return undefined;
    throw error;
  }
}

/** A line that requests may use. */
export function openRequestLine(target: ConnectionTarget, database: string): Line {
  return openLine(target, { database, arrays: true });
}

async function setPassword(admin: Line, role: string, password: Secret): Promise<void> {
  try {
    // A utility statement takes no parameters; the password is base64url, so it contains no quote.
    await admin.transaction((tx) =>
      tx.unsafe(`alter role ${serviceRole} with login noinherit password '${password.reveal()}'`),
    );
  } catch (error) {
    if ((error as { code?: string }).code !== "42501") throw error;
    throw new DevflowError("db_privileges", {
      details: {
        role,
        reason: `it may not set the password of ${serviceRole}`,
        next: `Ask an administrator to run: grant ${serviceRole} to ${role} with admin option; alter role ${role} createrole;`,
      },
    });
  }
}

async function requireMembership(
  admin: Line,
  role: string,
  names: readonly string[] = ["anon", "authenticated", "devflow_engine"],
): Promise<void> {
  const [row] = await admin.statement<{ missing: string | null }[]>`
    select string_agg(name, ', ') as missing from unnest(string_to_array(${names.join(" ")}, ' ')) as name
    where not pg_has_role(current_user, name, 'set')`;
  if (!row?.missing) return;
  throw new DevflowError("db_privileges", {
    details: {
      role,
      reason: `it may not act as ${row.missing}`,
      next: `Ask an administrator to run: grant ${row.missing} to ${role} with inherit false, set true;`,
    },
  });
}

function notHarmless(role: string): DevflowError {
  return new DevflowError("db_privileges", {
    details: {
      role,
      reason: "it bypasses row-level security",
      next: `Ask an administrator to run: alter role ${role} nosuperuser nobypassrls;`,
    },
  });
}
