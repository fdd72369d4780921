/**
 * How Codex is started for a session, and how its thread is opened: nothing that a configuration file says can allow more
 * than this. Nothing secret is among the arguments.
 *
 * - `codexArguments` marks the worktree as untrusted: then its `.codex` folder (settings, hooks, rules, MCP servers) is
 *   not read. It must come with the start, because Codex otherwise writes the folder into the user's own settings as trusted.
 * - `codexPlaces` which folders the agent may write to, and where its temporary files go.
 * - `threadOptions` the sandbox, the approval policy, and what is switched off.
 * - `userRules` files of rules of the user, which allow commands outside the sandbox. The app server cannot be told to
 *   leave them out.
 * - `looserThan` how a thread differs from what was asked for; undefined when it does not.
 *
 * A role that may edit gets `workspace-write`, which keeps `.git` read-only. Any other gets a permission profile: the
 * `read-only` sandbox ignores writable folders, so that no artifact could be written.
 */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { HeldStart } from "../holder/held-start.ts";
import { isInside } from "./is-inside.ts";

export interface CodexPlaces {
  readonly writable: readonly string[];
  /** The session's own folder for temporary files; undefined where the system's may be used. */
  readonly temporary: string | undefined;
}

const approvalPolicies: readonly string[] = ["untrusted", "on-request", "never"];
const profile = "devflow";

export function codexArguments({ cwd }: HeldStart): string[] {
  const untrusted = [...new Set([cwd, realpathSync(cwd)])].map(
    (path) => `${JSON.stringify(path)}={trust_level="untrusted"}`,
  );
  return ["app-server", "-c", `projects={${untrusted.join(",")}}`];
}

/** The session's folder has the answers to its permissions: it must not be in a folder that the agent may write to. */
export function codexPlaces(
  { launch, writableFolders }: HeldStart,
  root: string,
  env: Readonly<Record<string, string>>,
): CodexPlaces {
  const shared = ["/tmp", env.TMPDIR ?? "/tmp"];
  const isPrivate = !launch.mayEdit || shared.some((folder) => isInside(root, folder));
  return { writable: writableFolders, temporary: isPrivate ? join(root, "tmp") : undefined };
}

export function threadOptions(
  { cwd, launch }: HeldStart,
  places: CodexPlaces,
  {
    sessionToken = "",
    mcpServers,
  }: { readonly sessionToken?: string | undefined; readonly mcpServers: readonly string[] },
) {
  const roots = rootsOf(places);
  const isPrivate = places.temporary !== undefined;
  return {
    cwd,
    approvalPolicy: approvalPolicy(launch.permissionMode),
    // Never a model in a person's place.
    approvalsReviewer: "user",
    ...(launch.model ? { model: launch.model } : {}),
    ...(launch.systemPrompt ? { developerInstructions: launch.systemPrompt } : {}),
    ...(launch.mayEdit ? { sandbox: "workspace-write" } : {}),
    config: {
      ...(launch.mayEdit
        ? {
            sandbox_workspace_write: {
              writable_roots: roots,
              network_access: false,
              exclude_slash_tmp: isPrivate,
              exclude_tmpdir_env_var: isPrivate,
            },
          }
        : { default_permissions: profile, permissions: { [profile]: readOnlyBut(roots) } }),
      // The user's own programs and servers know nothing of this run, and a hook can answer permissions.
      notify: [],
      mcp_servers: Object.fromEntries(mcpServers.map((name) => [name, { enabled: false }])),
      features: Object.fromEntries(unusableFeatures.map((name) => [name, false])),
      web_search: "disabled",
      // A command that decides gates is recognised by this variable.
      shell_environment_policy: { inherit: "all", include_only: [], set: { DEVFLOW_SESSION_TOKEN: sessionToken } },
    },
  };
}

/** Tools that act outside the sandbox or after the turn, and hooks. */
const unusableFeatures = [
  ...[
    "hooks",
    "goals",
    "multi_agent",
    "multi_agent_v2",
    "apps",
    "plugins",
    "remote_plugin",
    "tool_suggest",
    "memories",
  ],
  ...["browser_use", "browser_use_external", "in_app_browser", "computer_use", "image_generation", "code_mode_host"],
  "skill_mcp_dependency_install",
];

const readOnlyBut = (roots: readonly string[]) => ({
  filesystem: { ":root": "read", ...Object.fromEntries(roots.map((root) => [root, "write"])) },
  network: { enabled: false },
});

function approvalPolicy(mode = "on-request"): string {
  if (approvalPolicies.includes(mode)) return mode;
  throw new Error(`Codex has no permission mode ${JSON.stringify(mode)}; it has ${approvalPolicies.join(", ")}`);
}

export function userRules(env: Readonly<Record<string, string>>): string[] {
  const folder = join(env.CODEX_HOME ?? join(env.HOME ?? "", ".codex"), "rules");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => (name.endsWith(".rules") ? [join(folder, name)] : []));
}

/** What Codex says about a thread that it opened. */
export interface OpenedThread {
  readonly thread: { readonly id: string };
  readonly model: string;
  readonly approvalPolicy: unknown;
  readonly approvalsReviewer: unknown;
  readonly sandbox: {
    readonly type: string;
    readonly writableRoots?: readonly string[];
    readonly networkAccess?: unknown;
    readonly excludeSlashTmp?: boolean;
  };
  readonly activePermissionProfile?: { readonly id?: string } | null;
}

export function looserThan(start: HeldStart, places: CodexPlaces, opened: OpenedThread): string | undefined {
  const { mayEdit, permissionMode } = start.launch;
  const { sandbox } = opened;
  const known = new Set(rootsOf(places).flatMap((root) => [root, realpathSync(root)]));
  const more = sandbox.writableRoots?.find((root) => !known.has(root));
  if (opened.approvalPolicy !== approvalPolicy(permissionMode))
    return `its approval policy is ${opened.approvalPolicy}`;
  if (opened.approvalsReviewer !== "user") return `its approvals go to ${opened.approvalsReviewer}`;
  if (sandbox.type !== "workspaceWrite") return `its sandbox is ${sandbox.type}`;
  if (sandbox.networkAccess !== false) return "its sandbox has network access";
  if (more !== undefined) return `it may write to ${more}`;
  // TMPDIR is then the session's own.
  if (places.temporary !== undefined && sandbox.excludeSlashTmp !== true) return "it may write to /tmp";
  if (!mayEdit && opened.activePermissionProfile?.id !== profile) return "it may write to the worktree";
  return undefined;
}

const rootsOf = ({ writable, temporary }: CodexPlaces): readonly string[] =>
  temporary === undefined ? writable : [...writable, temporary];
