/** The agents that read skills, and where each looks for them. */
import { isAbsolute, join } from "node:path";
import type { Environment } from "@devflow/core/config";

interface Host {
  readonly title: string;
  /** Under the person's home. */
  readonly user: string;
  /** Under the repository. */
  readonly project: string;
  /** An environment variable that replaces the parent folder of `user`. */
  readonly movedBy?: { readonly variable: string; readonly to: string };
}

export const hosts = {
  claude: {
    title: "Claude Code",
    user: ".claude/skills",
    project: ".claude/skills",
    movedBy: { variable: "CLAUDE_CONFIG_DIR", to: "skills" },
  },
  codex: { title: "Codex", user: ".agents/skills", project: ".agents/skills" },
} as const satisfies Record<string, Host>;

type HostName = keyof typeof hosts;
export const hostNames = Object.keys(hosts) as [HostName, ...HostName[]];

export function skillsFolder(name: HostName, place: { home: string; env: Environment; project?: string }): string {
  const host: Host = hosts[name];
  if (place.project !== undefined) return join(place.project, host.project);
  const moved = host.movedBy && place.env[host.movedBy.variable];
  return host.movedBy && moved && isAbsolute(moved) ? join(moved, host.movedBy.to) : join(place.home, host.user);
}
