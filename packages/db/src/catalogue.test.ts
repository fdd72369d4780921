/** Checks the catalogue: everything that a later migration adds has to meet these rules too. */
import { afterAll, describe, expect, test } from "bun:test";
import { testDatabase } from "@devflow/testkit";
import { connectAsAdmin } from "./index.ts";

const { database, target, name, close } = await testDatabase();
const sql = connectAsAdmin(target, name);
afterAll(async () => {
  await sql.end();
  await close();
});

describe("tables", () => {
  test("every table in app has row-level security", async () => {
    const open = await sql<{ relname: string }[]>`
      select relname from pg_class
      where relnamespace = 'app'::regnamespace and relkind in ('r', 'p') and not relrowsecurity`;
    expect(open.map((one) => one.relname)).toEqual([]);
  });

  test("every table in app has a policy for the engine, and no policy reads the table it protects", async () => {
    const missing = await sql<{ relname: string }[]>`
      select relname from pg_class c
      where relnamespace = 'app'::regnamespace and relkind in ('r', 'p') and not exists (
        select from pg_policy p where p.polrelid = c.oid and 'devflow_engine'::regrole = any (p.polroles))`;
    expect(missing.map((one) => one.relname)).toEqual([]);
    const circular = await sql<{ policy: string }[]>`
      select tablename || '.' || policyname as policy from pg_policies
      where schemaname = 'app' and coalesce(qual, '') || coalesce(with_check, '') ~ ('FROM app\\.' || tablename || '\\M')`;
    expect(circular.map((one) => one.policy)).toEqual([]);
  });

  test("api has no table, and app no view that bypasses row-level security", async () => {
    const found = await sql<{ name: string }[]>`
      select relnamespace::regnamespace || '.' || relname as name from pg_class
      where (relnamespace = 'api'::regnamespace and relkind in ('r', 'p', 'm', 'f'))
         or (relnamespace in ('app'::regnamespace, 'api'::regnamespace) and relkind in ('v', 'm')
             and not coalesce('security_invoker=true' = any (reloptions), false))`;
    expect(found.map((one) => one.name)).toEqual([]);
  });

  test("only the engine, workers and signed-in people are granted tables", async () => {
    const grantees = await sql<{ grantee: string }[]>`
      select distinct coalesce(r.rolname, 'public') as grantee
      from pg_class c cross join aclexplode(c.relacl) a left join pg_roles r on r.oid = a.grantee
      where c.relnamespace = 'app'::regnamespace and a.grantee <> c.relowner order by 1`;
    expect(grantees.map((one) => one.grantee)).toEqual(["authenticated", "devflow_engine", "devflow_worker"]);
  });
});

describe("functions", () => {
  test("every function in api has a grant decision, and none is granted to public", async () => {
    const undecided = await sql<{ name: string }[]>`
      select p.oid::regprocedure::text as name from pg_proc p
      where p.pronamespace in ('api'::regnamespace, 'app'::regnamespace) and (
        p.proacl is null
        or exists (select from aclexplode(p.proacl) a where a.grantee = 0)
        or (p.pronamespace = 'api'::regnamespace and not exists (
          select from aclexplode(p.proacl) a
          where a.grantee in ('anon'::regrole, 'authenticated'::regrole) and a.privilege_type = 'EXECUTE')))`;
    expect(undecided.map((one) => one.name)).toEqual([]);
  });

  test("an anonymous caller may call only whoami", async () => {
    const allowed = await sql<{ name: string }[]>`
      select p.oid::regprocedure::text as name from pg_proc p
      where p.pronamespace in ('api'::regnamespace, 'app'::regnamespace) and has_function_privilege('anon', p.oid, 'execute')`;
    expect(allowed.map((one) => one.name)).toEqual(["api.whoami()"]);
  });

  test("every security definer function has a fixed search_path", async () => {
    const loose = await sql<{ name: string }[]>`
      select p.oid::regprocedure::text as name from pg_proc p
      where p.prosecdef and p.pronamespace::regnamespace::text in ('api', 'app', 'auth', 'devflow', 'public')
        and not exists (select from unnest(p.proconfig) c where c like 'search_path=%')`;
    expect(loose.map((one) => one.name)).toEqual([]);
  });
});

describe("roles", () => {
  test("no login role bypasses row-level security, except the owner of the cluster", async () => {
    const powerful = await sql<{ rolname: string }[]>`
      select rolname from pg_roles where rolcanlogin and (rolsuper or rolbypassrls) and oid <> 10`;
    expect(powerful.map((one) => one.rolname)).toEqual([]);
  });

  test("the server logs in as devflow_server, owns nothing and inherits nothing", async () => {
    const [row] = await database.sql`
      select session_user as name, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolinherit
      from pg_roles where rolname = session_user`;
    expect({ ...row }).toEqual({
      name: "devflow_server",
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolinherit: false,
    });
    const owned = await sql`select from pg_shdepend where refobjid = 'devflow_server'::regrole and deptype = 'o'`;
    expect(owned).toHaveLength(0);
    const roles = await sql<{ name: string }[]>`
      select roleid::regrole::text as name from pg_auth_members where member = 'devflow_server'::regrole order by 1`;
    expect(roles.map((one) => one.name)).toEqual(["anon", "authenticated", "devflow_engine"]);
  });

  test("without setting a role the server can read nothing", async () => {
    await expect(database.sql`select * from app.teams`.then(() => "read")).rejects.toMatchObject({ code: "42501" });
    await expect(database.sql`select api.whoami()`.then(() => "called")).rejects.toMatchObject({ code: "42501" });
  });
});
