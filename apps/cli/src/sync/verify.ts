/** `devflow sync verify`. */
import type { HandlerOf } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { verifySent } from "@devflow/team/drain";
import { counted } from "../data/amounts.ts";
import type { syncVerifyRecord } from "./commands.ts";
import { drainInTurn } from "./drain.ts";
import { drainPorts } from "./drain-ports.ts";

export const syncVerify: HandlerOf<typeof syncVerifyRecord> = async ({ repair }, context) => {
  const ports = drainPorts(homeAt(context.config().home), context.env, context.signal);
  const { checked, missing, erased, unasked } = await verifySent(ports, { repair });
  const drained = repair && missing.length > 0 ? await drainInTurn(ports) : undefined;
  const resent = drained === undefined || drained === "busy" ? 0 : drained.sent;
  const lines = [
    ...unasked.map(({ to, records, reason }) => `${counted(records, "record")} not checked, ${to.server}: ${reason}`),
    ...(checked === 0 && unasked.length > 0
      ? []
      : missing.length === 0
        ? [`${counted(checked, "record")} checked: nothing is missing.`]
        : [`${missing.length} of ${counted(checked, "record")} are missing on the server.`]),
    ...(missing.length > 0 && !repair ? ["Send them again: devflow sync verify --repair"] : []),
    ...(missing.length > 0 && repair ? [`${counted(resent, "record")} sent again.`] : []),
    ...(erased.length > 0 ? [`${counted(erased.length, "copy", "copies")} of erased records removed here.`] : []),
  ];
  context.output.result({ checked, missing, erased, resent, unasked }, lines.join("\n"));
  return missing.length > resent || unasked.length > 0 ? 1 : 0;
};
