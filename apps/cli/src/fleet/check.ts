/** `devflow fleet check`: whether runs of a repository can move between machines. Exit code 1 when they cannot. */
import { resolve } from "node:path";
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { findRemote } from "@devflow/forge";
import { git } from "@devflow/git";
import { Fleet } from "@devflow/protocol";
import type { z } from "zod";
import { connectRuns } from "../run/runs-client.ts";
import type { FleetChecks, fleetCheckRecord } from "./commands.ts";

type Check = z.infer<typeof FleetChecks>["checks"][number];

export const check: HandlerOf<typeof fleetCheckRecord> = async ({ repo }, context) => {
  const client = await connectRuns(context);
  const { hosts, problems } = await client.get("/api/fleet", Fleet);
  const present = hosts.filter((one) => one.state === "present");
  const checks: Check[] = [
    {
      name: "machines",
      ok: present.length > 0,
      detail: present.length > 0 ? `${present.length} of ${hosts.length} can take runs` : "none can take runs",
    },
    { name: "engine", ok: problems.length === 0, detail: problems.length === 0 ? "all well" : problems.join(" ") },
    await remoteTakesRefs(resolve(context.cwd, repo ?? "."), context),
  ];
  const ok = checks.every((one) => one.ok);
  const lines = checks.map((one) => `${one.ok ? "ok  " : "FAIL"} ${one.name}: ${one.detail}`);
  context.output.result({ ok, checks }, lines.join("\n"));
  return ok ? 0 : 1;
};

/** A ref of its own, so that two checks at once do not meet. */
async function remoteTakesRefs(
  cwd: string,
  { env, signal, config }: Pick<Parameters<typeof check>[1], "env" | "signal" | "config">,
): Promise<Check> {
  const name = "remote";
  const ref = `refs/devflow/check/${uuidv7()}`;
  try {
    const remote = await findRemote({ cwd, env, forges: config().forges });
    const push = (refspec: string) =>
      git(["push", "--quiet", "--no-follow-tags", "--no-signed", "--receive-pack=git-receive-pack"], {
        ...{ cwd, env, signal, revisions: [remote.name, refspec], credentials: "user" },
        protocols: ["https", "http", "ssh", "file"],
      });
    await push(`HEAD:${ref}`);
    await push(`:${ref}`);
    return { name, ok: true, detail: `${remote.url} takes refs under refs/devflow/` };
  } catch (error) {
    if (!(error instanceof DevflowError)) throw error;
    return { name, ok: false, detail: `${error.message} ${error.hint}`.trim() };
  }
}
