/** The two commands that show that everything is connected. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand } from "../command.ts";

export const firstCommands = [
  defineBrowseCommand({
    name: "goto",
    summary: "Open a URL in the tab",
    group: "Navigation",
    effect: "write",
    needs: "tab",
    args: z.object({ url: option(z.string().describe("Where to"), { positional: 0, placeholder: "<url>" }) }),
    examples: [{ run: "goto https://example.com", does: "open it" }],
    handler:
      async () =>
      async ({ url }, { tab, policy }) => {
        policy.checkUrl(url);
        const response = await tab.page.goto(url, { waitUntil: "domcontentloaded" });
        const data = { url: tab.page.url(), status: response?.status() ?? null };
        return { text: `${data.url} ${data.status ?? ""}`, data };
      },
  }),
  defineBrowseCommand({
    name: "js",
    summary: "Run JavaScript in the page and print its value",
    group: "Read",
    effect: "write",
    needs: "tab",
    args: z.object({ code: option(z.string().describe("An expression"), { positional: 0, placeholder: "<code>" }) }),
    examples: [{ run: "js 1+1", does: "prints 2" }],
    handler:
      async () =>
      async ({ code }, { tab }) => {
        const value: unknown = await tab.frame().evaluate(code);
        return {
          text: typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined"),
          data: { value },
          fromPage: true,
        };
      },
  }),
];
