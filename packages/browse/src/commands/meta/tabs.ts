/** Tabs of a session. Listing them asks Chromium's own process and never a page. */
import { z } from "zod";
import { defineBrowseCommand } from "../../command.ts";

export const tabCommands = [
  defineBrowseCommand({
    name: "tabs",
    summary: "List the tabs of the session",
    group: "Meta",
    effect: "read",
    needs: "daemon",
    args: z.object({ all: z.boolean().default(false).describe("Of all sessions") }),
    examples: [{ run: "tabs", does: "with a star at the current one" }],
    handler:
      async () =>
      async ({ all }, { daemon }) => {
        const tabs = await daemon.tabs(all);
        const lines = tabs.map(
          ({ session, id, url, title, isCurrent }) =>
            `${isCurrent ? "*" : " "} ${all ? `${session} ` : ""}${id} ${url}${title ? ` ${JSON.stringify(title)}` : ""}`,
        );
        return {
          text: lines.join("\n") || "No tabs. Open one: devflow browse goto <url>",
          data: { tabs },
          fromPage: tabs.length > 0,
        };
      },
  }),
];
