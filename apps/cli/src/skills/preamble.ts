/** `devflow skills preamble`: every skill begins with it, so it loads little and waits for the server only briefly. */
import type { HandlerOf } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { version } from "@devflow/core/version";
import { collectFacts, logSkillUse, preambleText } from "@devflow/skills/preamble";
import { newerRelease } from "../upgrade/offered-release.ts";
import type { skillsPreambleRecord } from "./commands.ts";
import { openGates } from "./open-gates.ts";

export const preamble: HandlerOf<typeof skillsPreambleRecord> = async ({ skill }, context) => {
  const { cwd, output } = context;
  const { home, config } = context.inspectConfig();
  const nowMs = Date.now();
  const [facts, gates] = await Promise.all([
    collectFacts({
      cwd,
      home,
      version,
      nowMs,
      callerPid: process.ppid,
      isContributor: config?.contributor ?? false,
    }),
    openGates(homeAt(home)),
  ]);
  const update = config?.updateCheck === false ? undefined : newerRelease(homeAt(home), version);
  const all = { ...facts, ...(gates === undefined ? {} : { openGates: gates }), ...(update ? { update } : {}) };
  if (skill !== undefined) {
    const { repository } = facts;
    logSkillUse(homeAt(home).skillUseLog, {
      at: new Date(nowMs).toISOString(),
      skill,
      ...(repository ? { repository } : {}),
    });
  }
  output.result(all, preambleText(all));
};
