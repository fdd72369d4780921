/** Records of the commands that save or compare how a page looks. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand, defineBrowseRecord } from "../../command.ts";

const path = (what: string) =>
  option(z.string().optional().describe(`${what}; by default a new one in .devflow`), {
    positional: 0,
    placeholder: "<file>",
  });

export const screenshotRecord = defineBrowseRecord({
  name: "screenshot",
  summary: "Save a screenshot of the page",
  group: "Meta",
  effect: "read",
  needs: "tab",
  args: z.object({
    path: path("File, .png or .jpg"),
    full: option(z.boolean().default(false).describe("The whole page, not only the visible part"), { short: "f" }),
    target: option(z.string().optional().describe("Only this element: @e3 or a selector"), {
      short: "s",
      placeholder: "<target>",
    }),
    ifChanged: z.boolean().default(false).describe("Write nothing if it is identical to the last one"),
    inline: z.boolean().default(false).describe("Return it as base64 instead of a file; with --json"),
    quality: z.number().int().min(1).max(100).optional().describe("JPEG quality"),
    compare: option(z.string().optional(), { placeholder: "<baseline>" }).describe(
      "Compare it with this PNG, which is written if it does not exist; exit code 65 when it differs",
    ),
    mask: option(z.array(z.string()).optional(), { placeholder: "<target>" }).describe(
      "Paint over these elements first: times, adverts",
    ),
    allow: z.number().min(0).max(100).default(0.01).describe("Percent of the pixels that may differ"),
  }),
  examples: [
    { run: "screenshot", does: "into .devflow/screenshots" },
    { run: "screenshot --compare cart.png --mask '#clock'", does: "see whether the page still looks like that" },
    { run: "screenshot cart.png --target @e12", does: "one element" },
  ],
});

export const pictureCommands = [
  defineBrowseCommand(screenshotRecord, async () => (await import("./screenshot.ts")).screenshot),
  defineBrowseCommand(
    {
      name: "pdf",
      summary: "Save the page as PDF",
      group: "Meta",
      effect: "read",
      needs: "tab",
      args: z.object({
        path: path("File"),
        format: z.string().default("A4").describe("Paper size: A4, Letter, …"),
        landscape: z.boolean().default(false).describe("Landscape orientation"),
      }),
      examples: [{ run: "pdf report.pdf", does: "with backgrounds" }],
    },
    async () => (await import("./screenshot.ts")).pdf,
  ),
  defineBrowseCommand(
    {
      name: "responsive",
      summary: "Save screenshots of the page at phone, tablet and desktop widths",
      group: "Meta",
      effect: "read",
      needs: "tab",
      args: z.object({
        prefix: option(z.string().optional().describe("Prefix of the file names; by default in .devflow"), {
          positional: 0,
          placeholder: "<prefix>",
        }),
      }),
      examples: [{ run: "responsive shots/home", does: "home-mobile.png, home-tablet.png, home-desktop.png" }],
    },
    async () => (await import("./screenshot.ts")).responsive,
  ),
  defineBrowseCommand(
    {
      name: "diff",
      summary: "Show how the texts of two pages differ",
      group: "Meta",
      effect: "read",
      needs: "session",
      args: z.object({
        before: option(z.string().describe("First page"), { positional: 0, placeholder: "<url>" }),
        after: option(z.string().describe("Second page"), { positional: 1, placeholder: "<url>" }),
      }),
      examples: [{ run: "diff https://example.com http://localhost:3000", does: "production against your machine" }],
    },
    async () => (await import("./page-diff.ts")).pageDiff,
  ),
];
