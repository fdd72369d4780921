/**
 * Codex's own interface, for the terminal wire.
 *
 * Hooks are given for this process (`-c hooks=…`), next to those of the person, and exactly these are trusted, again for
 * this process: Codex tells their hashes itself. `--dangerously-bypass-hook-trust` would also run hooks of others that
 * nobody looked at. The thread is made before the terminal starts, so its id is known from the beginning; nothing is
 * written to the person's configuration. The folder is not trusted, again for this process: settings and hooks of the
 * repository stay off, and where there are some, the question whether to open it so is answered.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { HeldStart } from "../holder/held-start.ts";
import type { MakeWire, WireHost } from "../holder/wire.ts";
import { codexPermissions, codexRecordReader } from "./codex-record.ts";
import { prepareThread } from "./prepare-thread.ts";
import type { TerminalAgent } from "./terminal-agent.ts";
import { terminalWire } from "./terminal-wire.ts";

const hookEvents = ["UserPromptSubmit", "PermissionRequest", "Stop"];
/** A permission waits for a person. */
const hookSeconds = 7 * 24 * 3600;
const sandboxes = ["read-only", "workspace-write", "danger-full-access"];
const approvals = "on-request";

export const codexTerminalWire: MakeWire = (host) => terminalWire(codexTerminal, host);

function codexTerminal({ start, env }: WireHost): TerminalAgent {
  const findRecord = (thread: string) => findRollout(env, thread);
  return {
    name: "Codex",
    look: { glyph: "›" },
    expectedMode: `${approvals} ${sandboxOf(start) ?? codexPermissions}`,
    reader: codexRecordReader,
    findRecord,
    mode: () => undefined,
    startKey: (screen) => (/› 1\. Open restricted/.test(screen) ? "Enter" : undefined),
    isLoading: (screen) => screen.includes("Resuming session"),
    notReady,
    rateLimit,

    async prepare(known, hookCommand) {
      const isKnown = known !== undefined && (await findRecord(known)) !== undefined;
      const { model, systemPrompt } = start.launch;
      const sandbox = sandboxOf(start);
      const settings = [
        "check_for_update_on_startup=false",
        `projects={${JSON.stringify(start.cwd)}={trust_level="untrusted"}}`,
        ...(sandbox ? [] : readerPermissions(start.writableFolders)),
        ...(model ? [`model=${JSON.stringify(model)}`] : []),
        ...(systemPrompt ? [`developer_instructions=${JSON.stringify(systemPrompt)}`] : []),
      ];
      const { thread, trusted } = await prepareThread({
        command: start.command,
        cwd: start.cwd,
        env,
        settings: [...settings, `hooks={${hooksOf(hookCommand)}}`],
        thread: isKnown ? known : undefined,
        name: `${start.roleId} of run ${start.runId}`,
      });
      const state = Object.entries(trusted).map(
        ([key, hash]) => `${JSON.stringify(key)}={trusted_hash=${JSON.stringify(hash)}}`,
      );
      const all = [...settings, `hooks={${hooksOf(hookCommand)},state={${state.join(",")}}}`];
      return {
        agentSessionId: thread,
        command: [
          ...[...start.command, "resume", thread, "--no-daemon"],
          ...["--ask-for-approval", approvals],
          ...(sandbox ? ["--sandbox", sandbox] : []),
          ...(sandbox ? start.writableFolders.flatMap((folder) => ["--add-dir", folder]) : []),
          ...all.flatMap((setting) => ["-c", setting]),
        ],
        env: {},
      };
    },
  };
}

/** Undefined for a role that may not edit, see `readerPermissions`. */
function sandboxOf({ launch }: HeldStart): string | undefined {
  if (launch.permissionMode !== undefined && sandboxes.includes(launch.permissionMode)) return launch.permissionMode;
  return launch.mayEdit ? "workspace-write" : undefined;
}

/** Everything can be read, and only its artifacts written; none of Codex's sandboxes leaves the worktree out. */
function readerPermissions(writable: readonly string[]): string[] {
  const folders = writable.map((folder) => `${JSON.stringify(folder)}="write"`);
  const filesystem = [`":root"="read"`, ...folders].join(",");
  return [
    `default_permissions="${codexPermissions}"`,
    `permissions={${codexPermissions}={filesystem={${filesystem}}}}`,
  ];
}

/** In TOML, where JSON's strings are valid. */
function hooksOf(command: string): string {
  const hook = `[{hooks=[{type="command",command=${JSON.stringify(command)},timeout=${hookSeconds}}]}]`;
  return hookEvents.map((event) => `${event}=${hook}`).join(",");
}

async function findRollout(env: Readonly<Record<string, string>>, thread: string): Promise<string | undefined> {
  const sessions = join(env.CODEX_HOME ?? join(env.HOME ?? "", ".codex"), "sessions");
  const paths = await readdir(sessions, { recursive: true }).catch(() => []);
  const found = paths.find((path) => path.endsWith(`-${thread}.jsonl`));
  return found === undefined ? undefined : join(sessions, found);
}

function notReady(screen: string): string | undefined {
  if (/[Hh]ooks? needs? review/.test(screen))
    return "Codex wants your own hooks reviewed. Run codex once in a terminal of yours, and start again.";
  return undefined;
}

function rateLimit(screen: string): ReturnType<TerminalAgent["rateLimit"]> {
  return /Reconnecting[\s\S]*status 429/.test(screen)
    ? { reason: "the model's provider answered 429", seconds: undefined }
    : undefined;
}
