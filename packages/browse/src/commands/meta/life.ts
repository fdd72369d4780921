/** Is it there, is it well, end it. All answer while every page hangs. */
import { z } from "zod";
import { type DaemonStatus, defineBrowseCommand } from "../../command.ts";

export const lifeCommands = [
  defineBrowseCommand({
    name: "status",
    summary: "Show whether the browser runs, its sessions and what it is doing",
    group: "Meta",
    effect: "read",
    needs: "daemon",
    args: z.object({}),
    examples: [{ run: "status", does: "answers also while a page hangs" }],
    handler:
      async () =>
      async (_input, { daemon }) => {
        const status = daemon.status();
        return { text: statusText(status), data: status };
      },
  }),
  defineBrowseCommand({
    name: "stop",
    summary: "End the browser; tabs and storage are gone with it",
    group: "Meta",
    effect: "meta",
    needs: "daemon",
    args: z.object({}),
    examples: [{ run: "stop", does: "ends the daemon and Chromium" }],
    handler:
      async () =>
      async (_input, { daemon }) => {
        daemon.stop();
        return { text: "The browser ends.", data: { stopped: true } };
      },
  }),
  defineBrowseCommand({
    name: "restart",
    summary: "End Chromium and start it again with the same tabs, cookies and storage",
    group: "Meta",
    effect: "meta",
    needs: "daemon",
    args: z.object({}),
    examples: [{ run: "restart", does: "when Chromium misbehaves" }],
    handler:
      async () =>
      async (_input, { daemon }) => {
        await daemon.restartBrowser();
        return {
          text: "Chromium has ended; the next command starts it again and restores the tabs.",
          data: { restarted: true },
        };
      },
  }),
];

function statusText({ pid, version, workspace, chromium, sessions, running, idleMinutes }: DaemonStatus): string {
  const browser =
    chromium.state === "running"
      ? `Chromium ${chromium.version} (pid ${chromium.pid}) runs; sandbox ${chromium.sandbox}`
      : `Chromium: ${chromium.state}; sandbox ${chromium.sandbox}`;
  return [
    `Devflow ${version} browser for ${workspace} (pid ${pid}), ends after ${idleMinutes} idle minutes`,
    browser,
    ...sessions.map(({ name, tabs, lease }) => `session ${name}: ${tabs} ${tabs === 1 ? "tab" : "tabs"}, ${lease}`),
    ...running.map(({ command, session, ms }) => `running: ${command} (${session}, ${(ms / 1000).toFixed(1)} s)`),
  ].join("\n");
}
