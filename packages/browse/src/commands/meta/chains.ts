/** Records of the commands that run several commands in one call. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand } from "../../command.ts";

/** Each step has its own deadline. */
const deadlineMs = 600_000;
const goOn = () => z.boolean().default(false).describe("Continue after a failed step");

export const chainCommands = [
  defineBrowseCommand(
    {
      name: "chain",
      summary: "Run several commands in one call",
      description:
        "Each argument is one command, as typed after devflow browse; or - for standard input with one command per line. Stops at the first failure, and ends with its exit code.",
      group: "Meta",
      effect: "write",
      needs: "daemon",
      deadlineMs,
      args: z.object({
        steps: option(z.array(z.string()).default([]).describe("The commands"), {
          positional: 0,
          placeholder: "<command>",
        }),
        goOn: goOn(),
      }),
      examples: [
        { run: "chain 'goto http://localhost:3000' 'snapshot -i'", does: "two in one call" },
        { run: "chain -", does: "from standard input, one command per line" },
      ],
    },
    async () => (await import("./chain.ts")).chain,
  ),
  defineBrowseCommand(
    {
      name: "batch",
      summary: "Run the commands in a file in one call",
      description: 'One command per line, # for comments; or JSON: [["goto","…"],["click","@e3"]].',
      group: "Meta",
      effect: "write",
      needs: "daemon",
      deadlineMs,
      args: z.object({
        file: option(z.string().describe("The file, in the workspace or the temp folder; - for standard input"), {
          positional: 0,
          placeholder: "<file>",
        }),
        goOn: goOn(),
      }),
      examples: [{ run: "batch login.txt", does: "the steps of a login" }],
    },
    async () => (await import("./chain.ts")).batch,
  ),
];
