import type { HandlerOf } from "@devflow/core/command";
import type { daemonRecord } from "./commands.ts";
import { runServer } from "./run-server.ts";
import { serverFlags } from "./server-flags.ts";
import { untilAborted } from "./until-aborted.ts";

/** What `up -d` starts: no terminal, only the log file. Exit code 75 when another server holds the home. */
export const daemon: HandlerOf<typeof daemonRecord> = async (input, context) => {
  const config = context.config(serverFlags(input));
  const ran = await runServer(config, {
    adopt: input.adopt,
    env: context.env,
    signal: context.signal,
    onReady: () => untilAborted(context.signal),
  });
  return ran ? 0 : 75;
};
