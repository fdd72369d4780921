import type { CommandHandler } from "@devflow/core/command";
import { runServer } from "./run-server.ts";
import { serverFlags } from "./server-flags.ts";
import { untilAborted } from "./until-aborted.ts";

/** What `up -d` starts: no terminal, only the log file. Exit code 75 when another server holds the home. */
export const daemon: CommandHandler<{ port?: number | undefined; adopt: boolean; allowHost: string[] }> = async (
  input,
  context,
) => {
  const config = context.config(serverFlags(input));
  const ran = await runServer(config, {
    adopt: input.adopt,
    env: context.env,
    signal: context.signal,
    onReady: () => untilAborted(context.signal),
  });
  return ran ? 0 : 75;
};
