/** `devflow sync off | on`: the setting `sync_enabled`. */
import type { HandlerOf } from "@devflow/core/command";
import { writeSetting } from "@devflow/core/config-file";
import { homeAt } from "@devflow/core/home";
import { spoolStatus } from "@devflow/team/drain";
import { spoolFolder } from "@devflow/team/spool";
import { counted } from "../data/amounts.ts";
import type { syncOffRecord, syncOnRecord } from "./commands.ts";
import { wakeDrainer } from "./drain-ports.ts";

export const syncOff: HandlerOf<typeof syncOffRecord> = async (_input, { inspectConfig, output }) => {
  await writeSetting(homeAt(inspectConfig().home).configFile, "sync_enabled", false);
  output.result({ enabled: false }, "Sync is off. Records are kept on this machine. Turn it on: devflow sync on");
};

export const syncOn: HandlerOf<typeof syncOnRecord> = async (_input, { inspectConfig, output, env }) => {
  const home = homeAt(inspectConfig().home);
  await writeSetting(home.configFile, "sync_enabled", true);
  const { queued } = await spoolStatus(spoolFolder(home.root));
  if (queued > 0) await wakeDrainer(home, env);
  output.result({ enabled: true, queued }, `Sync is on.${queued > 0 ? ` Sending ${counted(queued, "record")}.` : ""}`);
};
