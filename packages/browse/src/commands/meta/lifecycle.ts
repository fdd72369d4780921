/** The browser's status, stop and restart. All of them answer while every page hangs. */
import { z } from "zod";
import { type DaemonStatus, defineBrowseCommand } from "../../command.ts";

export const lifecycleCommands = [
  defineBrowseCommand(
    {
      name: "status",
      summary: "Show whether the browser is running, its sessions and what it is doing",
      group: "Meta",
      effect: "read",
      needs: "daemon",
      args: z.object({}),
      examples: [{ run: "status", does: "answers even while a page hangs" }],
    },
    async () =>
      async (_input, { daemon }) => {
        const status = daemon.status();
        return { text: statusText(status), data: status };
      },
  ),
  defineBrowseCommand(
    {
      name: "stop",
      summary: "Stop the browser; its tabs and storage are lost",
      group: "Meta",
      effect: "meta",
      destroys: true,
      needs: "daemon",
      args: z.object({}),
      examples: [{ run: "stop", does: "stop the daemon and Chromium" }],
    },
    async () =>
      async (_input, { daemon }) => {
        daemon.stop();
        return { text: "The browser is stopping.", data: { stopped: true } };
      },
  ),
  defineBrowseCommand(
    {
      name: "restart",
      summary: "Restart Chromium with the same tabs, cookies and storage",
      group: "Meta",
      effect: "meta",
      needs: "daemon",
      args: z.object({ fresh: z.boolean().default(false).describe("Without its tabs, cookies and storage") }),
      examples: [
        { run: "restart", does: "when Chromium misbehaves" },
        { run: "restart --fresh", does: "begin with an empty browser" },
      ],
    },
    async () =>
      async ({ fresh }, { daemon }) => {
        await daemon.restartBrowser({ fresh });
        const text = fresh
          ? "Chromium has stopped; the next command starts an empty one."
          : "Chromium has stopped; the next command starts it again and restores the tabs.";
        return { text, data: { restarted: true, fresh } };
      },
  ),
];

function statusText({ pid, version, workspace, chromium, sessions, running, idleMinutes }: DaemonStatus): string {
  const browser =
    chromium.state === "running"
      ? `Chromium ${chromium.version} (pid ${chromium.pid}) is running; sandbox ${chromium.sandbox}`
      : `Chromium: ${chromium.state}; sandbox ${chromium.sandbox}`;
  return [
    `Devflow ${version} browser for ${workspace} (pid ${pid}), ends after ${idleMinutes} idle minutes`,
    browser,
    ...sessions.map(({ name, tabs, lease }) => `session ${name}: ${tabs} ${tabs === 1 ? "tab" : "tabs"}, ${lease}`),
    ...running.map(({ command, session, ms }) => `running: ${command} (${session}, ${(ms / 1000).toFixed(1)} s)`),
  ].join("\n");
}
