/** What the page looks like, as files. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand } from "../../command.ts";

const path = (what: string) =>
  option(z.string().optional().describe(`${what}; without it a new one in .devflow`), {
    positional: 0,
    placeholder: "<file>",
  });

export const pictureCommands = [
  defineBrowseCommand({
    name: "screenshot",
    summary: "Save a picture of the page",
    group: "Meta",
    effect: "read",
    needs: "tab",
    args: z.object({
      path: path("Where, .png or .jpg"),
      full: option(z.boolean().default(false).describe("The whole page, not just what is in view"), { short: "f" }),
      target: option(z.string().optional().describe("Only this element: @e3 or a selector"), {
        short: "s",
        placeholder: "<target>",
      }),
      ifChanged: z.boolean().default(false).describe("Nothing is written when it looks like the last one"),
      inline: z.boolean().default(false).describe("Into the answer as base64 instead of a file; with --json"),
      quality: z.number().int().min(1).max(100).optional().describe("Of a .jpg"),
    }),
    examples: [
      { run: "screenshot", does: "into .devflow/screenshots" },
      { run: "screenshot cart.png --target @e12", does: "one element" },
    ],
    handler: async () => (await import("./screenshot.ts")).screenshot,
  }),
  defineBrowseCommand({
    name: "pdf",
    summary: "Save the page as PDF",
    group: "Meta",
    effect: "read",
    needs: "tab",
    args: z.object({
      path: path("Where"),
      format: z.string().default("A4").describe("Paper: A4, Letter, …"),
      landscape: z.boolean().default(false).describe("Wide instead of tall"),
    }),
    examples: [{ run: "pdf report.pdf", does: "with backgrounds" }],
    handler: async () => (await import("./screenshot.ts")).pdf,
  }),
  defineBrowseCommand({
    name: "responsive",
    summary: "Save pictures of the page at the widths of a phone, a tablet and a desktop",
    group: "Meta",
    effect: "read",
    needs: "tab",
    args: z.object({
      prefix: option(z.string().optional().describe("How the files begin; without it in .devflow"), {
        positional: 0,
        placeholder: "<prefix>",
      }),
    }),
    examples: [{ run: "responsive shots/home", does: "home-mobile.png, home-tablet.png, home-desktop.png" }],
    handler: async () => (await import("./screenshot.ts")).responsive,
  }),
  defineBrowseCommand({
    name: "diff",
    summary: "Show how the text of two pages differs",
    group: "Meta",
    effect: "read",
    needs: "session",
    args: z.object({
      before: option(z.string().describe("The one"), { positional: 0, placeholder: "<url>" }),
      after: option(z.string().describe("The other"), { positional: 1, placeholder: "<url>" }),
    }),
    examples: [{ run: "diff https://example.com http://localhost:3000", does: "what is live against what is here" }],
    handler: async () => (await import("./page-diff.ts")).pageDiff,
  }),
];
