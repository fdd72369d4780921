/** Saved state, sessions, the URL policy, takeover and help. */
import { readFile } from "node:fs/promises";
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand, type SavedState } from "../../command.ts";

const file = () => option(z.string().describe("The file"), { positional: 0, placeholder: "<file>" });
const hosts = () =>
  option(z.array(z.string().min(1)).min(1).describe("example.com, or *.example.com for all its subdomains"), {
    positional: 0,
    placeholder: "<host>",
  });

export const manageCommands = [
  defineBrowseCommand(
    {
      name: "state save",
      summary: "Save the session's cookies and storage, encrypted for this machine",
      group: "Meta",
      effect: "read",
      needs: "daemon",
      args: z.object({ path: file() }),
      examples: [{ run: "state save login.state", does: "keep a login for later" }],
    },
    async () =>
      async ({ path }, { daemon, files }) => {
        const state = await daemon.saveState();
        const target = await files.forWriting(path);
        const { writeOutput } = await import("../output-file.ts");
        await writeOutput(target, await daemon.seal(JSON.stringify(state)));
        const counts = { cookies: state.cookies.length, origins: state.origins.length };
        return {
          text: `${target}: ${counts.cookies} cookies, storage of ${counts.origins} sites`,
          data: { path: target, ...counts },
        };
      },
  ),
  defineBrowseCommand(
    {
      name: "state load",
      summary: "Load saved cookies and storage into the session and reopen its tabs",
      group: "Meta",
      effect: "write",
      needs: "daemon",
      args: z.object({ path: file() }),
      examples: [{ run: "state load login.state", does: "log in again" }],
    },
    async () =>
      async ({ path }, { daemon, files }) => {
        const sealed = await readFile(await files.forReading(path), "utf8");
        const state = JSON.parse(await daemon.unseal(sealed)) as SavedState;
        await daemon.loadState(state);
        const counts = { cookies: state.cookies.length, origins: state.origins.length };
        return {
          text: `${counts.cookies} cookies and the storage of ${counts.origins} sites are loaded.`,
          data: counts,
        };
      },
  ),
  defineBrowseCommand(
    {
      name: "session open",
      summary: "Open a session with its own token, for one agent",
      description:
        "The token is shown once; pass it as DEVFLOW_BROWSE_TOKEN. It works in this session only. With --owner-pid the session ends with that process.",
      group: "Meta",
      effect: "meta",
      needs: "daemon",
      args: z.object({
        name: option(z.string().min(1).max(100).describe("Its name"), { positional: 0, placeholder: "<name>" }),
        readOnly: z.boolean().default(false).describe("The token may read but not change anything"),
        ownerPid: z.number().int().min(2).optional().describe("End the session with this process"),
      }),
      examples: [{ run: "session open agent-1 --json", does: "prints its token" }],
    },
    async () =>
      async ({ name, readOnly, ownerPid }, { daemon }) => {
        const opened = daemon.openSession({ name, scope: readOnly ? "read" : "write", ownerPid });
        return { text: `session ${opened.name}, ${opened.lease}\nDEVFLOW_BROWSE_TOKEN=${opened.token}`, data: opened };
      },
  ),
  defineBrowseCommand(
    {
      name: "session close",
      summary: "Close a session with its tabs, cookies and tokens",
      group: "Meta",
      effect: "meta",
      destroys: true,
      needs: "daemon",
      args: z.object({ name: option(z.string().describe("Its name"), { positional: 0, placeholder: "<name>" }) }),
      examples: [{ run: "session close agent-1", does: "nothing of it is kept" }],
    },
    async () =>
      async ({ name }, { daemon }) => {
        const closed = await daemon.closeSession(name);
        return { text: closed ? `Session ${name} is closed.` : `There is no session ${name}.`, data: { closed } };
      },
  ),
  defineBrowseCommand(
    {
      name: "policy",
      summary: "Show which hosts and files pages may reach",
      group: "Meta",
      effect: "read",
      needs: "daemon",
      args: z.object({}),
      examples: [{ run: "policy", does: "what is allowed and what is always forbidden" }],
    },
    async () =>
      async (_input, { daemon }) => {
        const rules = daemon.rules.describe();
        const lines = [
          `allowed hosts: ${rules.allow.join(" ") || "all that are not forbidden"}`,
          ...(rules.block.length > 0 ? [`blocked hosts: ${rules.block.join(" ")}`] : []),
          "always forbidden:",
          ...rules.always.map((rule) => `  ${rule}`),
        ];
        return { text: lines.join("\n"), data: rules };
      },
  ),
  defineBrowseCommand(
    {
      name: "policy allow",
      summary: "Allow pages to reach only these hosts",
      group: "Meta",
      effect: "meta",
      needs: "daemon",
      args: z.object({ hosts: hosts() }),
      examples: [{ run: "policy allow localhost *.example.com", does: "everything else is refused" }],
    },
    async () =>
      async (input, { daemon }) => {
        await daemon.rules.allow(input.hosts);
        return {
          text: `Pages can reach only: ${daemon.rules.describe().allow.join(" ")}`,
          data: daemon.rules.describe(),
        };
      },
  ),
  defineBrowseCommand(
    {
      name: "policy block",
      summary: "Block pages from reaching these hosts",
      group: "Meta",
      effect: "meta",
      needs: "daemon",
      args: z.object({ hosts: hosts() }),
      examples: [{ run: "policy block ads.example.com", does: "from now on" }],
    },
    async () =>
      async (input, { daemon }) => {
        await daemon.rules.block(input.hosts);
        return {
          text: `Pages cannot reach: ${daemon.rules.describe().block.join(" ")}`,
          data: daemon.rules.describe(),
        };
      },
  ),
  defineBrowseCommand(
    {
      name: "policy reset",
      summary: "Remove what policy allow and policy block set",
      group: "Meta",
      effect: "meta",
      needs: "daemon",
      args: z.object({}),
      examples: [{ run: "policy reset", does: "the settings and the fixed rules stay in force" }],
    },
    async () =>
      async (_input, { daemon }) => {
        await daemon.rules.reset();
        return { text: "Only the settings and the fixed rules are in force now.", data: daemon.rules.describe() };
      },
  ),
  defineBrowseCommand(
    {
      name: "takeover",
      summary: "Show the browser in a window, for a person to continue by hand",
      description: "For logins and captchas that only a person can solve. Tabs, cookies and storage are kept.",
      group: "Meta",
      effect: "meta",
      needs: "daemon",
      args: z.object({}),
      examples: [{ run: "takeover", does: "then resume" }],
    },
    async () =>
      async (_input, { daemon }) => {
        await daemon.restartBrowser({ window: true });
        await daemon.runStep(["js", "document.title"]);
        return {
          text: "The browser has a window now. When the person is done: devflow browse resume",
          data: { window: true },
        };
      },
  ),
  defineBrowseCommand(
    {
      name: "resume",
      summary: "Close the window and continue with what the person has done",
      group: "Meta",
      effect: "meta",
      needs: "daemon",
      args: z.object({}),
      examples: [{ run: "resume", does: "after takeover" }],
    },
    async () =>
      async (_input, { daemon }) => {
        await daemon.restartBrowser({ window: false });
        const tabs = await daemon.runStep(["tabs"]);
        return { text: "The window is closed; the next command continues where the person stopped.", data: tabs.data };
      },
  ),
  defineBrowseCommand(
    {
      name: "help",
      summary: "Explain a command, or list them all",
      group: "Meta",
      effect: "read",
      needs: "daemon",
      args: z.object({
        command: option(z.array(z.string()).default([]).describe("The command"), {
          positional: 0,
          placeholder: "<command>",
        }),
      }),
      examples: [{ run: "help click", does: "its arguments and examples" }],
    },
    async () =>
      async ({ command }) => {
        const { browseHelp } = await import("../help-text.ts");
        const { browseCommands } = await import("../index.ts");
        return browseHelp(browseCommands, command.join(" "));
      },
  ),
];
