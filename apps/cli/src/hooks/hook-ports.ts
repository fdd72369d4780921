/**
 * What hooks need of this process. Everything that is not needed by every hook is loaded when it is used.
 *
 * - `hookPorts(of)`; `finish()` starts a drainer in the background if something was left for a team and none is at work.
 */
import { existsSync } from "node:fs";
import type { HookPorts } from "@devflow/brain/hooks";
import type { Environment } from "@devflow/core/environment";
import type { Home } from "@devflow/core/home";
import { spool } from "@devflow/team/spool";
import { hookPlaces } from "./hook-place.ts";
import { wakeLiveDrainer } from "./wake-live.ts";

interface PortsOf {
  readonly home: Home;
  readonly env: Environment;
  readonly host: string;
  readonly signal: AbortSignal;
}

export function hookPorts({ home, env, signal }: PortsOf): HookPorts & { finish(): Promise<void> } {
  const servers = new Set<string>();
  return {
    home: home.root,
    now: Date.now,
    signal,
    place: hookPlaces(home),
    async spool({ server, team, user, repo }, { kind, agent, payload }) {
      const outcome = await spool(home.root, { kind, to: { server, team, user }, repo, agent, payload });
      if (!outcome.spooled)
        throw new Error(`a record of kind ${kind} was not kept (${outcome.why}): ${outcome.problem}`);
      servers.add(server);
    },
    wake: ({ server }) => void servers.add(server),
    async digest({ team, checkout }, agentId) {
      if (!team) return "";
      servers.add(team.server);
      const { freshDigest } = await import("./team-digest.ts");
      const found = await freshDigest(home.root, team, { wake, signal });
      if (!found) return "";
      const { digestFor } = await import("@devflow/brain/digest");
      const user = { id: team.user, name: team.handle };
      return digestFor(found, { nowMs: Date.now(), user, agentId, branch: checkout.branch ?? null });
    },
    async contextForFile({ team }, file, agentId) {
      const found = team && (await (await import("./team-digest.ts")).cachedDigest(home.root, team));
      if (!found) return { text: "", decisions: [] };
      const { contextForFiles } = await import("@devflow/brain/digest");
      return {
        text: contextForFiles(found, [file], { nowMs: Date.now(), agentId }),
        decisions: found.decisions.filter(({ files }) => files.includes(file)).map(({ id, rev }) => ({ id, rev })),
      };
    },
    async precheck(folder, agent) {
      const { runPrecheck } = await import("../brain/run-precheck.ts");
      const { reportText } = await import("@devflow/brain/precheck-report");
      const report = await runPrecheck({ home, env, folder, signal, ...(agent === undefined ? {} : { agent }) });
      return report.findings.length === 0 ? undefined : pushText(reportText(report));
    },
    inferIntent: async (clues) => (await import("@devflow/brain/intents")).inferIntent(clues),
    async aliases(folder) {
      const { git } = await import("@devflow/git");
      const { stdout } = await git(["config", "-z", "--get-regexp", "^alias\\."], {
        cwd: folder,
        answers: [1],
        signal,
      });
      return Object.fromEntries(stdout.split("\0").flatMap(aliasOf));
    },
    redact: async (text) => (await import("@devflow/redact")).redactSecrets(text).text,
    finish: async () => void (await wake()),
  };

  /** False: there is nobody to send to. */
  async function wake(): Promise<boolean> {
    const isReachable = [...servers].some((server) => server !== "local" || existsSync(home.serverFile));
    if (isReachable) await wakeLiveDrainer(home, env);
    return isReachable;
  }
}

const pushText = (found: string): string => ["Devflow precheck: this push would meet conflicts.", found].join("\n");

function aliasOf(entry: string): [string, string][] {
  const [name = "", ...value] = entry.split("\n");
  const [, alias] = /^alias\.(.+)$/s.exec(name) ?? [];
  return alias === undefined ? [] : [[alias.toLowerCase(), value.join("\n")]];
}
