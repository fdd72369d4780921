/** `devflow sync test`: a ping to the team store and back, step by step with times. */
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { rpcAnswer } from "@devflow/protocol";
import { drainNow } from "@devflow/team/drain";
import { callRpc } from "@devflow/team/remote";
import { spool } from "@devflow/team/spool";
import type { syncTestRecord } from "./commands.ts";
import { requireConnection } from "./connection.ts";
import { drainPorts } from "./drain-ports.ts";
import { requirePlace } from "./place.ts";
import { spoolFailed } from "./spool-failed.ts";

/** Another drain may have the ping in hand. */
const tries = 40;
const pauseMs = 100;

export const syncTest: HandlerOf<typeof syncTestRecord> = async (_input, context) => {
  const home = homeAt(context.config().home);
  const { to, team, repo } = await requirePlace(context);
  const connection = await requireConnection(home, context.env, to);
  const steps: { step: string; ms: number }[] = [];
  const timed = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    const result = await work();
    steps.push({ step, ms: Math.round((performance.now() - started) * 10) / 10 });
    return result;
  };
  const written = await timed("write it to disk", () =>
    spool(home.root, { kind: "ping", to, repo, payload: { from: "sync test" } }),
  );
  if (!written.spooled) throw spoolFailed(home, written);
  const ports = drainPorts(home, context.env, context.signal);
  const isThere = async (): Promise<boolean> => {
    const args = { team_id: to.team, ids: [written.id] };
    const outcome = await callRpc(connection, "find_records", args, { timeoutMs: 5_000 });
    const rows = outcome.is === "answered" ? rpcAnswer("find_records").safeParse(outcome.body).data : undefined;
    return rows?.length === 1;
  };
  const drained = await timed("send what waits", () => drainNow(ports));
  let found = await timed("read it back", isThere);
  for (let n = 0; !found && drained === "busy" && n < tries; n++) {
    await ports.sleep(pauseMs, context.signal);
    found = await isThere();
  }
  if (!found) {
    const reason =
      drained === "busy" ? "another drain has not sent it yet" : (drained.obstacles[0]?.reason ?? "it is not there");
    throw new DevflowError("team_unreachable", { details: { server: to.server, reason } });
  }
  const lines = steps.map(({ step, ms }) => `  ${step}: ${ms} ms`);
  context.output.result(
    { id: written.id, team: team.name, steps },
    [`The ping reached ${team.name} and came back.`, ...lines].join("\n"),
  );
};
