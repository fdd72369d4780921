/** `devflow permission …`: the rules that people kept for a repository. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { PermissionRules, PermissionRuleView } from "@devflow/protocol";
import { z } from "zod";

const permissionListRecord = defineRecord({
  name: "permission list",
  summary: "List what agents may do without asking, by repository",
  category: "Runs",
  effect: "read",
  args: z.object({}),
  output: PermissionRules,
  examples: [{ run: "permission list", does: "the rules that you kept with run allow --for repository" }],
});

export const permissionRemoveRecord = defineRecord({
  name: "permission remove",
  summary: "Remove a rule; agents then ask again",
  category: "Runs",
  effect: "write",
  args: z.object({
    rule: option(z.string().describe("The rule, as permission list shows it"), {
      positional: 0,
      placeholder: "<rule>",
    }),
  }),
  output: PermissionRuleView,
  examples: [{ run: "permission remove 3f9a2c1b", does: "remove one rule" }],
});

export const permissionCommands: readonly AnyCommand[] = [
  defineCommand(permissionListRecord, async () => (await import("./permission-rules.ts")).listRules),
  defineCommand(permissionRemoveRecord, async () => (await import("./permission-rules.ts")).removeRule),
];
