/** `devflow sync forget <record>`: erases a record on the server first, then here. */
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { rpcAnswer } from "@devflow/protocol";
import { pullTeam } from "@devflow/team/cache";
import { eraseRecords } from "@devflow/team/drain";
import { callRpc } from "@devflow/team/remote";
import { spoolFolder } from "@devflow/team/spool";
import { counted } from "../data/amounts.ts";
import type { syncForgetRecord } from "./commands.ts";
import { requireConnection } from "./connection.ts";
import { requirePlace } from "./place.ts";

export const syncForget: HandlerOf<typeof syncForgetRecord> = async ({ record }, context) => {
  const home = homeAt(context.config().home);
  const { to, team, repo } = await requirePlace(context);
  const connection = await requireConnection(home, context.env, to);
  const id = record.toLowerCase();
  const outcome = await callRpc(connection, "forget_record", { team_id: to.team, id }, { timeoutMs: 10_000 });
  if (outcome.is !== "answered") {
    const reason = outcome.is === "unreachable" ? outcome.reason : outcome.message || String(outcome.status);
    if (outcome.is === "refused" && outcome.status === 403) {
      throw new DevflowError("forbidden", {
        details: { problem: `${reason}.`, next: "Ask an admin of the team to do it." },
      });
    }
    throw new DevflowError("team_unreachable", { details: { server: to.server, reason } });
  }
  const forgotten = rpcAnswer("forget_record").parse(outcome.body);
  const copies = await eraseRecords(spoolFolder(home.root), [...new Set([id, forgotten.id])], { unsent: true });
  const pulled = await pullTeam({
    home: home.root,
    of: { ...to, repo },
    connection,
    now: Date.now,
    signal: context.signal,
  });
  const what =
    forgotten.records === 0
      ? `There is nothing to erase in ${team.name}`
      : `${counted(forgotten.records, "record")} erased from ${team.name}`;
  context.output.result(
    { ...forgotten, copies, cache: pulled.is },
    `${what}; ${counted(copies, "copy", "copies")} removed here. If it arrives later, it is not stored.`,
  );
};
