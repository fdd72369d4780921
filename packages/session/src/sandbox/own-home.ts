/**
 * The home of an agent in the sandbox: a folder in its session, which keeps what the agent stores there between two starts.
 *
 * - `makeOwnHome(session, needs, env)` creates it with copies of the agent's configuration. What exists already is kept: it
 *   is the agent's. Returns where it is, the person's login files, and the variables that lead the agent to it.
 */
import { cpSync, existsSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentNeeds } from "./agent-needs.ts";

export interface OwnHome {
  readonly path: string;
  readonly logins: readonly { readonly file: string; readonly name: string }[];
  readonly variables: Readonly<Record<string, string>>;
}

export function makeOwnHome(session: string, needs: AgentNeeds, env: Readonly<Record<string, string>>): OwnHome {
  const path = join(session, "home");
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const { folder, variable } = needs;
  const home = env.HOME ?? "";
  if (folder === undefined || home === "") return { path, logins: [], variables: {} };
  const moved = variable === undefined ? undefined : env[variable];
  const from = moved ?? join(home, folder);
  const to = join(path, folder);
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of needs.copies) copyOnce(join(from, name), join(to, name));
  if (moved === undefined) for (const name of needs.copiesFromHome) copyOnce(join(home, name), join(to, name));
  return {
    path,
    logins: needs.logins
      .filter((name) => existsSync(join(from, name)))
      .map((name) => ({ file: realpathSync(join(from, name)), name: join(folder, name) })),
    variables: variable === undefined ? {} : { [variable]: to },
  };
}

/** With what a link leads to: its target may not be there in the sandbox. */
function copyOnce(from: string, to: string): void {
  if (!existsSync(from) || existsSync(to)) return;
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  cpSync(from, to, { recursive: true, dereference: true });
}
