/**
 * What a Supabase project needs of Devflow, as the folder that Supabase's own command line works with.
 *
 * - `writeSupabaseFolder(root, into)` `migrations/` for `supabase db push`, `functions/` for `supabase functions deploy`, and the jobs that
 *   call them. A database that was migrated this way is one that Devflow itself has migrated, and the other way round.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashBytes } from "@devflow/core/hash";
import { ledgerSql, migrations, platform } from "@devflow/db/migrations";

const functions = ["regression-alert", "weekly-digest"] as const;
/** Versions of migrations are times there; ours are before those that people make. */
const epoch = 20200101000000;

export async function writeSupabaseFolder(root: string, into: string): Promise<void> {
  mkdirSync(join(into, "migrations"), { recursive: true });
  const write = (number: number, name: string, sql: string) =>
    writeFileSync(join(into, "migrations", `${epoch + number}_devflow_${name}.sql`), sql);
  write(0, "platform", `${platform}\n${ledgerSql}\n${platformRow}\n`);
  for (const { number, name, sql } of migrations)
    write(number, name.replace(/^\d+_/, ""), `${sql}\n${rowOf(number, name, sql)}\n`);
  for (const name of functions) await bundle(root, name, join(into, "functions", name));
  writeFileSync(join(into, "config.toml"), config);
  writeFileSync(join(into, "devflow-jobs.sql"), jobs);
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const platformRow = `insert into devflow.platform (hash) values (${quoted(hashBytes(platform))})
on conflict (only_row) do update set hash = excluded.hash;`;

/** Devflow may have applied it already. */
const rowOf = (number: number, name: string, sql: string): string =>
  `insert into devflow.migrations (number, name, hash) values (${number}, ${quoted(name)}, ${quoted(hashBytes(sql))});`;

async function bundle(root: string, name: string, outdir: string): Promise<void> {
  const built = await Bun.build({
    entrypoints: [join(root, `apps/cli/src/edge/${name}.ts`)],
    outdir,
    naming: "index.js",
    target: "node",
    format: "esm",
    minify: { whitespace: true, syntax: true, identifiers: false },
    // Older edge runtimes have them only as modules.
    banner: `globalThis.process ??= (await import("node:process")).default; globalThis.Buffer ??= (await import("node:buffer")).Buffer;`,
  });
  if (!built.success) throw new Error(`${name} could not be bundled:\n${built.logs.join("\n")}`);
}

const config = `# Add this to the config.toml of your project.
[api]
schemas = ["public", "graphql_public", "api"]
${functions
  .map(
    (name) => `
[functions.${name}]
# The function asks for the service key itself.
verify_jwt = false
entrypoint = "./functions/${name}/index.js"
`,
  )
  .join("")}`;

const jobs = `-- Jobs that call the functions: every minute what has arrived, every hour what is due. Needs the extensions pg_cron and pg_net, and two
-- secrets in the Vault: select vault.create_secret('https://<project>.supabase.co', 'devflow_url'),
-- vault.create_secret('<service role key>', 'devflow_service_key');
${functions
  .map(
    (name, place) => `
select cron.schedule('devflow-${name}', '${place === 0 ? "* * * * *" : "0 * * * *"}', $job$
  select net.http_post(
    url := (select decrypted_secret from vault.decrypted_secrets where name = 'devflow_url') || '/functions/v1/${name}',
    headers := jsonb_build_object('authorization', 'Bearer ' || (
      select decrypted_secret from vault.decrypted_secrets where name = 'devflow_service_key')),
    body := '{}'::jsonb, timeout_milliseconds := 60000)
$job$);
`,
  )
  .join("")}`;
