/** Verbs: what was done once is one command from then on. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand } from "../command.ts";

export const verbName = () => z.string().regex(/^[a-z][a-z0-9-]*$/, "expected a name like log-in");

export const taskCommands = [
  defineBrowseCommand(
    {
      name: "task",
      summary: "Run a verb of this app, learned from evidence; without one, list them",
      description:
        "Its steps run as one command, and each must lead to what its recording led to: URL, title, dialogs, no new alert or failed request. A target that was renamed is replaced only by the one control that says the same, and that is reported. Exit code 65 when a step no longer works; the answer says which and why.",
      group: "Meta",
      effect: "write",
      needs: "daemon",
      deadlineMs: 600_000,
      args: z.object({
        verb: option(z.string().min(1).optional().describe("Such as log-in"), { positional: 0 }),
        values: option(z.array(z.string()).default([]), { positional: 1, placeholder: "<value>" }).describe(
          "What it takes, in order or as name=value",
        ),
      }),
      examples: [
        { run: "task", does: "list the verbs" },
        { run: "task sign-up Bob mail=bob@example.com", does: "run one" },
      ],
    },
    async () => (await import("../tasks/index.ts")).task,
  ),
  defineBrowseCommand(
    {
      name: "learn",
      summary: "Make a verb of recorded evidence, for task",
      description: "Writes .devflow/pages/<host>.yaml. What was typed or chosen becomes a value of the verb.",
      group: "Meta",
      effect: "meta",
      needs: "daemon",
      args: z.object({
        verb: option(verbName().describe("Its name"), { positional: 0 }),
        bundle: option(z.string().min(1).optional().describe("The evidence; by default the newest"), { positional: 1 }),
      }),
      examples: [{ run: "learn sign-up", does: "after evidence stop" }],
    },
    async () => (await import("../tasks/index.ts")).learn,
  ),
];
