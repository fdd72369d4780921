/** `devflow sync pull`. */
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { cacheFolder, pullTeam } from "@devflow/team/cache";
import { fetchDigest } from "../brain/fetch-digest.ts";
import { counted } from "../data/amounts.ts";
import type { syncPullRecord } from "./commands.ts";
import { requireConnection } from "./connection.ts";
import { requirePlace } from "./place.ts";
import { writeSyncLog } from "./sync-log.ts";

export const syncPull: HandlerOf<typeof syncPullRecord> = async (_input, context) => {
  const home = homeAt(context.config().home);
  const { to, team, repo } = await requirePlace(context);
  const of = { ...to, repo };
  const connection = await requireConnection(home, context.env, to);
  const started = Date.now();
  const pulled = await pullTeam({ home: home.root, of, connection, now: Date.now, signal: context.signal });
  await writeSyncLog(home, `PULL ${to.server} ${pulled.is} ${((Date.now() - started) / 1000).toFixed(1)}s`);
  switch (pulled.is) {
    case "failed":
      throw new DevflowError("team_unreachable", { details: { server: to.server, reason: pulled.reason } });
    case "unwritable":
      if (["ENOSPC", "EDQUOT"].includes(pulled.reason))
        throw new DevflowError("disk_full", { details: { path: cacheFolder(home.root, of) } });
      throw new DevflowError("home_unusable", {
        details: { path: cacheFolder(home.root, of), reason: `it cannot be written (${pulled.reason})` },
      });
    case "evicted":
      throw new DevflowError("forbidden", {
        details: {
          problem: `You are no longer in ${team.name}. Its data was removed from this machine.`,
          next: "Ask an admin of the team for an invite.",
        },
      });
    case "busy":
      context.output.result({ busy: true }, "Another process is pulling now.");
      return 0;
    case "pulled": {
      // What agents are told. A server without a brain leaves it as it is.
      await fetchDigest({ home, env: context.env, signal: context.signal }, of);
      const what = pulled.isSnapshot ? "record" : "change";
      const text =
        pulled.rows === 0 && !pulled.isSnapshot ? "Nothing new." : `${counted(pulled.rows, what)} from ${team.name}.`;
      const folder = cacheFolder(home.root, of);
      context.output.result({ rows: pulled.rows, snapshot: pulled.isSnapshot, erased: pulled.erased, folder }, text);
      return 0;
    }
  }
};
