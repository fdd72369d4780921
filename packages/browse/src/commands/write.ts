/** Acting on a page: the records. Their handlers are in write/. Every one answers with a receipt. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand } from "../command.ts";

const target = option(z.string().min(1), { positional: 0, placeholder: "<target>" }).describe(
  "A ref (@e3), CSS, text=words or role:name",
);

export const writeCommands = [
  defineBrowseCommand({
    name: "click",
    summary: "Click an element",
    group: "Write",
    effect: "write",
    needs: "tab",
    args: z.object({
      target,
      button: z.enum(["left", "right", "middle"]).default("left").describe("Which button of the mouse"),
      modifiers: z
        .array(z.enum(["Alt", "Control", "Meta", "Shift"]))
        .optional()
        .describe("Keys held meanwhile"),
    }),
    examples: [
      { run: "click @e3", does: "click what the snapshot showed as @e3" },
      { run: "click 'button:Save'", does: "click the button named Save" },
    ],
    handler: async () => (await import("./write/click.ts")).click,
  }),
  defineBrowseCommand({
    name: "fill",
    summary: "Replace what a field holds",
    group: "Write",
    effect: "write",
    needs: "tab",
    args: z.object({
      target,
      value: option(z.string(), { positional: 1 }).describe("The new value; dates as 2026-12-31"),
    }),
    examples: [{ run: "fill @e5 'Bob'", does: "put Bob into the field @e5" }],
    handler: async () => (await import("./write/fill.ts")).fill,
  }),
];
