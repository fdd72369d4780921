/** `devflow brain doctor`: from the repository to the server, one line each. */

import { readDigest } from "@devflow/brain/digest";
import { brainPayloads } from "@devflow/brain/records";
import type { HandlerOf } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import type { RpcAnswer } from "@devflow/protocol";
import { spoolStatus } from "@devflow/team/drain";
import { spoolFolder } from "@devflow/team/spool";
import { counted, duration } from "../data/amounts.ts";
import { findPlace } from "../sync/place.ts";
import type { brainDoctorRecord } from "./commands.ts";
import { isOffline, openBrain } from "./open-brain.ts";

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
}

export const brainDoctor: HandlerOf<typeof brainDoctorRecord> = async (_input, context) => {
  const checks: Check[] = [];
  const check = (name: string, ok: boolean, text: string) => checks.push({ name, ok, text });
  const place = await findPlace(context);
  if (!place)
    check("team", false, "no team is known here. Start the local server, which has a team of one: devflow up -d");
  else {
    check("team", true, `${place.team.name}, as ${place.userName}`);
    check("repository", place.repo !== null, place.repo ?? "not in a repository: files and numbers need one");
    const brain = await openBrain(context);
    check("agent", true, `${brain.agent.host} of ${place.userName} on ${brain.agent.machine}, ${brain.agent.id}`);
    const kinds = await brain.ask("record_kinds", {});
    if (isOffline(kinds)) check("server", false, `${kinds.offline}. Records wait on this machine`);
    else {
      const known = new Set(kinds.map(({ kind }) => kind));
      const missing = Object.keys(brainPayloads).filter((kind) => !known.has(kind));
      const text =
        missing.length === 0
          ? "it knows all records of the brain"
          : `it does not know ${missing.join(", ")}. Upgrade it: devflow upgrade`;
      check("server", missing.length === 0, text);
      const agents = await brain.ask("my_agents", { machine: brain.agent.machine });
      if (!isOffline(agents)) check("agents", true, agentsText(agents));
    }
    const digest = await readDigest(brain.folder);
    const age = digest ? Date.now() - Date.parse(digest.at) : Number.POSITIVE_INFINITY;
    const isFresh = age < 7 * 86_400_000;
    check(
      "digest",
      isFresh,
      digest
        ? `pulled ${duration(age)} ago${isFresh ? "" : ". Pull it: devflow brain sync"}`
        : "never pulled. Pull it: devflow brain sync",
    );
    const { queued, dead, waiting } = await spoolStatus(spoolFolder(homeAt(context.config().home).root));
    const held = dead + waiting;
    check(
      "spool",
      held === 0,
      held === 0
        ? `${counted(queued, "record")} to send`
        : `${counted(held, "record")} refused or held back. See them: devflow sync dead list`,
    );
  }
  const isWell = checks.every(({ ok }) => ok);
  const text = checks.map(({ name, ok, text: says }) => `${ok ? "ok  " : "FAIL"}  ${name.padEnd(10)}  ${says}`);
  context.output.result({ ok: isWell, checks }, text.join("\n"));
  return isWell ? 0 : 1;
};

/** Nobody is no fault: a person alone at a terminal is an agent only once they write something. */
function agentsText(agents: RpcAnswer<"my_agents">): string {
  if (agents.length === 0)
    return "none has reported from this machine yet. Install hooks: devflow hooks install --host claude";
  return agents
    .map((one) => `${one.host} reported ${duration(Date.now() - Date.parse(one.last_seen_at))} ago`)
    .join(", ");
}
