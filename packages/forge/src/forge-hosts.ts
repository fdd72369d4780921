/**
 * The forges that Devflow knows, by host. `github.com`, `gitlab.com`, `gitea.com` and `codeberg.org` are known; a person adds
 * others with the setting `forges`.
 *
 * - `forgeHosts(setting)` all of them; those of the person first. An entry is `host=kind` or `host=kind:VARIABLE`.
 */
import { DevflowError } from "@devflow/core/errors";

export const forgeKinds = ["github", "gitlab", "gitea"] as const;
export type ForgeKind = (typeof forgeKinds)[number];

export interface ForgeHost {
  readonly host: string;
  readonly kind: ForgeKind;
  /** Names of the environment variables that may have the token; the first that is set counts. */
  readonly tokenVariables: readonly string[];
}

/** The names that the forges' own tools use. */
const usualVariables: Readonly<Record<ForgeKind, readonly string[]>> = {
  github: ["GH_TOKEN", "GITHUB_TOKEN"],
  gitlab: ["GITLAB_TOKEN"],
  gitea: ["GITEA_TOKEN"],
};

const known: readonly ForgeHost[] = [
  { host: "github.com", kind: "github", tokenVariables: usualVariables.github },
  { host: "gitlab.com", kind: "gitlab", tokenVariables: usualVariables.gitlab },
  { host: "gitea.com", kind: "gitea", tokenVariables: usualVariables.gitea },
  { host: "codeberg.org", kind: "gitea", tokenVariables: ["CODEBERG_TOKEN"] },
];

export function forgeHosts(setting: readonly string[]): ForgeHost[] {
  return [...setting.map(parseEntry), ...known];
}

function parseEntry(entry: string): ForgeHost {
  const [, host = "", kind = "", variable] = /^([\w.-]+(?::\d+)?)=(\w+)(?::([A-Z_][A-Z0-9_]*))?$/.exec(entry) ?? [];
  const found = forgeKinds.find((one) => one === kind);
  if (!found) {
    throw new DevflowError("input_invalid", {
      details: {
        problem: `The setting forges has an entry that cannot be used: ${JSON.stringify(entry)}.`,
        next: `It must be host=kind or host=kind:VARIABLE, with one of ${forgeKinds.join(", ")}. See: devflow config get forges`,
      },
    });
  }
  // A token of github.com must not be sent to another host.
  const tokenVariables = variable ? [variable] : found === "github" ? ["GH_ENTERPRISE_TOKEN"] : usualVariables[found];
  return { host: host.toLowerCase(), kind: found, tokenVariables };
}
