import { lockedExit, workspaceAt } from "@devflow/browse/client";
import { runBrowseDaemon } from "@devflow/browse/daemon";
import type { HandlerOf } from "@devflow/core/command";
import { inheritedEnvironment, searchPath } from "@devflow/core/config";
import type { browseDaemonRecord } from "./daemon-command.ts";
import { listenNatively } from "./listen-natively.ts";
import { thisBuild } from "./this-build.ts";

export const browseDaemon: HandlerOf<typeof browseDaemonRecord> = async (input, context) => {
  const config = context.config();
  const ran = await runBrowseDaemon({
    workspace: workspaceAt(input.workspace),
    build: thisBuild(),
    settings: {
      chromium: config.browseChromium,
      sandbox: config.browseSandbox,
      idleMinutes: config.browseIdleMinutes,
      allowHosts: config.browseAllowHosts,
    },
    env: inheritedEnvironment(context.env),
    home: config.home,
    searchFolders: searchPath(context.env),
    tempFolders: input.temp,
    ownTemp: input.ownTemp,
    handover: await context.readStdin(),
    listen: listenNatively,
    signal: context.signal,
  });
  return ran ? 0 : lockedExit;
};
