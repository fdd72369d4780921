/** What the server tells about itself: `/api/status` and `/api/commands`. */
import type { Database } from "@devflow/db";
import type { CommandSummary, ServerStatus, TeamRow } from "@devflow/protocol";
import { Hono } from "hono";
import { privateAnswer } from "./request-checks/security-headers.ts";
import type { ServerEnv } from "./server-env.ts";

export function statusRoutes(options: {
  readonly mode: ServerStatus["mode"];
  readonly database: Database;
  readonly version: string;
  readonly startedAt: string;
  readonly commands: () => Promise<readonly CommandSummary[]>;
  readonly subscribers: () => number;
  readonly busy: () => Promise<string[]>;
  readonly problems: () => Promise<string[]>;
}): Hono<ServerEnv> {
  const { database } = options;
  return new Hono<ServerEnv>()
    .get("/status", async (c) => {
      const { claims } = c.var.caller;
      const [settings, migrations, busy, problems, me] = await Promise.all([
        database.settings(),
        database.migrations(),
        options.busy(),
        options.problems(),
        database.withClaims(claims, async (tx) => {
          const identity = tx<{ name: string | null }[]>`select name from api.whoami()`;
          const teams = tx<TeamRow[]>`select id, slug, name, role from api.my_teams()`;
          const [who, mine] = await Promise.all([identity, teams]);
          return { name: who[0]?.name ?? "unknown", teams: [...mine] };
        }),
      ]);
      const status: ServerStatus = {
        version: options.version,
        mode: options.mode,
        startedAt: options.startedAt,
        runtime: { name: "Bun", version: Bun.version, platform: `${process.platform}-${process.arch}` },
        postgres: { kind: database.kind, version: database.version, ...settings },
        migrations,
        live: { subscribers: options.subscribers() },
        busy,
        problems,
        user: { id: claims.sub, name: me.name },
        teams: me.teams,
      };
      return c.json(status, 200, privateAnswer);
    })
    .get("/commands", async (c) => c.json({ commands: await options.commands() }, 200, privateAnswer));
}
