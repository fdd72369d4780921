/** Recording what a person does in the browser's window. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand } from "../command.ts";
import { verbName } from "./tasks.ts";

export const recordCommands = [
  defineBrowseCommand(
    {
      name: "record start",
      summary: "Record what a person does in the browser's window",
      description:
        "First show the window: takeover. Clicks, typed text, choices, keys and opened pages become evidence like the commands of an agent; passwords are not recorded. Scrolling, hovering and dragging are left out.",
      group: "Meta",
      effect: "meta",
      needs: "session",
      args: z.object({
        verb: option(verbName().describe("What is done; the verb that it becomes"), { positional: 0 }),
        shots: z.boolean().default(true).describe("Take a screenshot after each step"),
      }),
      output: z.object({ bundle: z.string(), commit: z.string().nullable(), changedFiles: z.number() }),
      examples: [{ run: "record start sign-up", does: "then the person signs up by hand" }],
    },
    async () => (await import("../record/index.ts")).startRecord,
  ),
  defineBrowseCommand(
    {
      name: "record stop",
      summary: "End it: write the evidence, a Playwright spec, and the verb for task",
      group: "Meta",
      effect: "meta",
      needs: "session",
      args: z.object({}),
      output: z.object({ bundle: z.string(), commands: z.number(), head: z.string(), spec: z.string() }),
      examples: [{ run: "record stop", does: "then, for example: task sign-up" }],
    },
    async () => (await import("../record/index.ts")).stopRecord,
  ),
];
