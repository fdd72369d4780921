/** Tabs and frames of a session. Listing them asks Chromium's browser process, never a page. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand } from "../../command.ts";
import type { NavigationLimits } from "../navigation/arrival.ts";
import { completeUrl } from "../navigation/complete-url.ts";

const id = () => option(z.string().describe("Its id, as tabs shows it"), { positional: 0, placeholder: "<t1>" });

export const tabCommands = [
  defineBrowseCommand(
    {
      name: "tabs",
      summary: "List the tabs of the session",
      group: "Meta",
      effect: "read",
      needs: "daemon",
      args: z.object({ all: z.boolean().default(false).describe("Tabs of all sessions") }),
      examples: [{ run: "tabs", does: "the current one has a star" }],
    },
    async () =>
      async ({ all }, { daemon }) => {
        const tabs = await daemon.tabs(all);
        if (tabs.length === 0) return { text: "No tabs. Open one: devflow browse goto <url>", data: { tabs } };
        const lines = tabs.map(
          ({ session, id: name, url, title, isCurrent }) =>
            `${isCurrent ? "*" : " "} ${all ? `${session} ` : ""}${name} ${url}${title ? ` ${JSON.stringify(title)}` : ""}`,
        );
        return { text: lines.join("\n"), data: { tabs }, fromPage: true };
      },
  ),
  defineBrowseCommand(
    {
      name: "newtab",
      summary: "Open a tab, make it the current one, and print what it has",
      group: "Meta",
      effect: "write",
      needs: "session",
      args: z.object({
        url: option(z.string().optional().describe("URL to open in it"), { positional: 0, placeholder: "<url>" }),
      }),
      examples: [{ run: "newtab https://example.com", does: "the other tabs stay open" }],
    },
    async () =>
      async ({ url: given }, scope) => {
        const { session, policy, signal } = scope;
        const url = given === undefined ? undefined : completeUrl(given);
        if (url !== undefined) policy.checkUrl(url);
        const from = session.tabs().length > 0 ? session.current().id : undefined;
        const tab = await session.open();
        const back = from === undefined ? "" : `, opened from ${from}; back: tab ${from}`;
        const ids = { tab: tab.id, ...(from !== undefined && { from }) };
        if (url === undefined) return { text: `${tab.id}${back}`, data: { ...ids, url: tab.page.url() } };
        const { navigate } = await import("../navigation/arrival.ts");
        const go = (limits: NavigationLimits) => tab.page.goto(url, { ...limits, signal });
        const arrived = await navigate({ ...scope, tab }, url, undefined, go);
        return { ...arrived, text: `${tab.id}${back}\n${arrived.text}`, data: { ...(arrived.data as object), ...ids } };
      },
  ),
  defineBrowseCommand(
    {
      name: "tab",
      summary: "Make a tab the current one, and print what it has, or what changed since you left it",
      group: "Meta",
      effect: "write",
      needs: "session",
      args: z.object({ id: id() }),
      examples: [{ run: "tab t2", does: "commands go there from now on" }],
    },
    async () =>
      async (input, { session }) => {
        const tab = session.select(input.id);
        const { linesOnReturn } = await import("../../receipts/page-content.ts");
        const lines = await linesOnReturn(tab);
        const text = [`${tab.id} ${tab.page.url()}`, ...lines].join("\n");
        return { text, data: { tab: tab.id, url: tab.page.url(), lines }, fromPage: lines.length > 0 };
      },
  ),
  defineBrowseCommand(
    {
      name: "closetab",
      summary: "Close a tab",
      group: "Meta",
      effect: "write",
      needs: "session",
      args: z.object({
        id: option(z.string().optional().describe("Its id; by default the current tab"), {
          positional: 0,
          placeholder: "<t1>",
        }),
      }),
      examples: [{ run: "closetab t2", does: "the others stay open" }],
    },
    async () =>
      async (input, { session }) => {
        const closed = input.id ?? session.current().id;
        await session.close(closed);
        const left = session.tabs().map((tab) => tab.id);
        return {
          text: `${closed} is closed${left.length > 0 ? `; ${left.join(" ")} left` : ""}.`,
          data: { closed, left },
        };
      },
  ),
  defineBrowseCommand(
    {
      name: "frame",
      summary: "Switch to a frame of the page, or back to the page",
      description: "Snapshots and refs cover frames without this; it is for js, html and selectors.",
      group: "Meta",
      effect: "write",
      needs: "tab",
      args: z.object({
        which: option(
          z.string().optional().describe("Its number, name, or part of its URL; main for the page itself"),
          {
            positional: 0,
            placeholder: "<frame>",
          },
        ),
      }),
      examples: [
        { run: "frame", does: "list them" },
        { run: "frame checkout", does: "by name or URL" },
        { run: "frame main", does: "back to the page" },
      ],
    },
    async () => (await import("./frame.ts")).frame,
  ),
];
