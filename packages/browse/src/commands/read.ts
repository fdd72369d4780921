/** Reading a page: the records. Their handlers are in read/. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand } from "../command.ts";

export const readCommands = [
  defineBrowseCommand({
    name: "snapshot",
    summary: "The page as lines with refs",
    description:
      'One line a node: @e3 button "Save" [disabled]. Refs stay the same while the element lives. What does not fit ' +
      "the budget is folded and can be opened with expand.",
    group: "Read",
    effect: "read",
    needs: "tab",
    args: z.object({
      interactive: option(z.boolean().default(false), { short: "i" }).describe("Only what can be acted on"),
      compact: option(z.boolean().default(false), { short: "c" }).describe("Without containers that add nothing"),
      depth: option(z.number().int().min(0).optional(), { short: "d" }).describe("Only so many levels"),
      scope: option(z.string().optional(), { short: "s", placeholder: "<target>" }).describe(
        "Only inside this element",
      ),
      diff: option(z.boolean().default(false), { short: "D" }).describe("Only what changed since the last look"),
      annotate: option(z.string().optional(), { short: "a", placeholder: "<file>" }).describe(
        "Also save a screenshot with the refs drawn on it",
      ),
      clickables: option(z.boolean().default(false), { short: "C" }).describe(
        "Also what listens for clicks without a role, as @c refs",
      ),
      budget: z.number().int().min(50).max(200_000).optional().describe("Tokens to spend at most (4000)"),
    }),
    examples: [
      { run: "snapshot -i", does: "what can be clicked and filled" },
      { run: "snapshot -s main --budget 800", does: "the main part in few tokens" },
    ],
    handler: async () => (await import("./read/snapshot.ts")).snapshot,
  }),
  defineBrowseCommand({
    name: "js",
    summary: "Run JavaScript in the page",
    description: "An expression, or statements with return. A promise is awaited. The value comes back as JSON.",
    group: "Read",
    effect: "write",
    needs: "tab",
    args: z.object({
      script: option(z.string().min(1), { positional: 0 }).describe("Expression or function body"),
    }),
    examples: [{ run: "js 'document.title'", does: "the title of the page" }],
    handler: async () => (await import("./read/js.ts")).js,
  }),
];
