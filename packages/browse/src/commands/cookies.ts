/** The command that imports cookies. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand, defineBrowseRecord } from "../command.ts";

const counts = z.array(z.object({ domain: z.string(), count: z.number() }));

export const cookieImportRecord = defineBrowseRecord({
  name: "cookie-import",
  summary: "Import logins from a browser on this machine, or from a file",
  description:
    "Browsers: chrome, chromium, brave, edge, arc, comet, firefox, safari. Files: JSON from an extension or from Playwright, a request copied as cURL, cookies.txt. Without --domain a person chooses the sites on a page that works once. Values are never printed and never written to disk.",
  group: "Meta",
  effect: "write",
  needs: "session",
  args: z.object({
    source: option(z.string().min(1).describe("A browser, or a file"), {
      positional: 0,
      placeholder: "<browser|file>",
    }),
    domain: z.array(z.string().min(1)).optional().describe("Only this site and its subdomains"),
    profile: option(z.string().optional().describe("Browser profile; by default the one used last"), {
      placeholder: "<name>",
    }),
    all: z.boolean().default(false).describe("Every site, without asking"),
    list: z.boolean().default(false).describe("Only list the sites and how many cookies each has"),
  }),
  output: z.union([
    z.object({ imported: z.number(), domains: counts, unreadable: z.record(z.string(), z.number()) }),
    z.object({ pickerUrl: z.string(), sites: z.number(), unreadable: z.record(z.string(), z.number()) }),
    z.object({ domains: counts, unreadable: z.record(z.string(), z.number()) }),
  ]),
  examples: [
    { run: "cookie-import chrome --domain github.com", does: "be logged in there as you are in Chrome" },
    { run: "cookie-import firefox", does: "choose the sites on a page" },
    { run: "cookie-import ./cookies.json", does: "what an extension exported" },
  ],
});

export const cookieCommands = [
  defineBrowseCommand(cookieImportRecord, async () => (await import("../cookies/index.ts")).importCookies),
];
