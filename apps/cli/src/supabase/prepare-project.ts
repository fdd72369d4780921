/**
 * Brings the database of a Supabase project to this program's schema.
 *
 * - `prepareProject(context, ask)` with DEVFLOW_DATABASE_URL, or with the URL that a person pastes. It contains the password of the
 *   database: it is used once, and stored nowhere. A database that is up to date is left as it is.
 */
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { createLog } from "@devflow/core/log";
import { Secret } from "@devflow/core/secret";
import { openDatabase } from "@devflow/db/database";

export async function prepareProject(
  context: CommandContext,
  ask: (question: string) => Promise<string>,
): Promise<void> {
  const target = context.config().databaseUrl ?? (await askUrl(ask));
  // The platform's own tables do not count as foreign content; those of the project's app do, and stay untouched.
  const database = await openDatabase({ target, adopt: true, log: createLog({ level: "silent", module: "supabase" }) });
  await database.close();
}

async function askUrl(ask: (question: string) => Promise<string>): Promise<Secret> {
  const given = await ask(
    "Paste the connection string of the project's database (Project settings, Database). It is used once, and not stored:",
  );
  if (/^postgres(ql)?:\/\//.test(given)) return new Secret(given);
  throw new DevflowError("usage", {
    details: {
      problem: "This is not the URL of a database.",
      next: "It begins with postgresql://; it can also be in the environment: DEVFLOW_DATABASE_URL",
    },
  });
}
