/** Records of the navigation commands. Their handlers are in navigation/. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand, defineBrowseRecord } from "../command.ts";

export const whenLoaded = ["commit", "dom", "load", "idle"] as const;

const until = z.enum(whenLoaded).optional().describe("What to wait for: commit, dom, load (2 s at most) or idle");

export const gotoRecord = defineBrowseRecord({
  name: "goto",
  summary: "Open a URL in this tab",
  description:
    "Prints the HTTP status, redirects and what failed while loading. An HTTP error page counts as loaded: " +
    "its status is printed and it can be read.",
  group: "Navigation",
  effect: "write",
  needs: "tab",
  args: z.object({
    url: option(z.string().min(1), { positional: 0 }).describe("Where to go; http:// may be left out"),
    until,
    auth: option(z.string().optional(), { placeholder: "<user:password>" }).describe("Credentials for basic auth"),
    insecure: z.boolean().default(false).describe("Accept certificates that cannot be verified, in this tab"),
    fresh: z.boolean().default(false).describe("In a new session: without its tabs, cookies and storage"),
  }),
  examples: [
    { run: "goto localhost:3000/login", does: "open a page of a local server" },
    { run: "goto https://localhost:8443 --insecure", does: "open a page with a self-signed certificate" },
  ],
});

export const navigationCommands = [
  defineBrowseCommand(gotoRecord, async () => (await import("./navigation/goto.ts")).goto),
  ...(["back", "forward"] as const).map((way) =>
    defineBrowseCommand(
      {
        name: way,
        summary: way === "back" ? "Go back one page in the history" : "Go forward one page in the history",
        group: "Navigation",
        effect: "write",
        needs: "tab",
        args: z.object({}),
        examples: [{ run: way, does: `go ${way} one page in this tab's history` }],
      },
      async () => {
        const { moveInHistory } = await import("./navigation/history.ts");
        return (_input, scope) => moveInHistory(way, scope);
      },
    ),
  ),
  defineBrowseCommand(
    {
      name: "reload",
      summary: "Load this page again",
      group: "Navigation",
      effect: "write",
      needs: "tab",
      args: z.object({ until }),
      examples: [{ run: "reload", does: "load the page again" }],
    },
    async () => (await import("./navigation/history.ts")).reload,
  ),
  defineBrowseCommand(
    {
      name: "stop-loading",
      summary: "Stop what this page is still loading",
      group: "Navigation",
      effect: "write",
      needs: "tab",
      args: z.object({}),
      examples: [{ run: "stop-loading", does: "stop a page that never finishes loading" }],
    },
    async () => (await import("./navigation/stop-loading.ts")).stopLoading,
  ),
];
