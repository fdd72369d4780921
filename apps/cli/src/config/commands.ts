/** `devflow config get | set | unset | list`: the user's settings in `config.yaml`. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

const key = option(z.string().describe("Name of the setting"), { positional: 0, placeholder: "<key>" });

export const configListRecord = defineRecord({
  name: "config list",
  summary: "List every setting with its value and source",
  category: "Settings",
  effect: "read",
  args: z.object({}),
  examples: [{ run: "config list --json", does: "as JSON" }],
});

export const configGetRecord = defineRecord({
  name: "config get",
  summary: "Print the value of one setting",
  category: "Settings",
  effect: "read",
  args: z.object({ key }),
  examples: [{ run: "config get port", does: "print the port; 4780 by default" }],
});

export const configSetRecord = defineRecord({
  name: "config set",
  summary: "Change a setting in config.yaml",
  description:
    "The value is checked first, and comments in the file are kept. If a running server has to start again first, the command says so.",
  category: "Settings",
  effect: "write",
  args: z.object({
    key,
    value: option(z.string().describe("The new value; a list is comma-separated"), {
      positional: 1,
      placeholder: "<value>",
    }),
  }),
  examples: [
    { run: "config set port 4999", does: "change the server's port from its next start" },
    { run: "config set allow_hosts devbox.local,10.0.0.5", does: "set a list" },
  ],
});

export const configUnsetRecord = defineRecord({
  name: "config unset",
  summary: "Remove a setting from config.yaml and use its default",
  category: "Settings",
  effect: "write",
  args: z.object({ key }),
  examples: [{ run: "config unset port", does: "use the default port again" }],
});

export const configCommands: readonly AnyCommand[] = [
  defineCommand(configListRecord, async () => (await import("./list.ts")).listSettings),
  defineCommand(configGetRecord, async () => (await import("./get.ts")).getSetting),
  defineCommand(configSetRecord, async () => (await import("./set.ts")).setSetting),
  defineCommand(configUnsetRecord, async () => (await import("./set.ts")).unsetSetting),
];
