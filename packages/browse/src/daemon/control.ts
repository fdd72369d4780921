/** The daemon as commands see it; nothing here waits for a page. */
import { DevflowError } from "@devflow/core/errors";
import type { BrowseDaemon, DaemonStatus, TabStatus } from "../command.ts";
import type { WorkspaceRules } from "../policy/index.ts";
import type { Chromium } from "./chromium.ts";
import { tryWithin } from "./deadline.ts";
import type { Call, Running } from "./dispatcher.ts";
import { seal, sealingKey, unseal } from "./sealed.ts";
import type { Sessions } from "./sessions.ts";
import type { Tokens } from "./tokens.ts";

export interface ControlParts {
  readonly workspace: string;
  readonly version: string;
  readonly startedAt: string;
  readonly idleMinutes: number;
  readonly chromium: Chromium;
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  readonly rules: WorkspaceRules;
  readonly running: () => readonly Running[];
  /** The file with this machine's key for saved state. */
  readonly keyFile: string;
  /** Whether a window can be shown. */
  readonly hasScreen: boolean;
}

const targetsLimitMs = 500;

export type Steps = Pick<BrowseDaemon, "runStep" | "describeStep">;

export function controlFor(parts: ControlParts, call: Call, { runStep, describeStep }: Steps): BrowseDaemon {
  const { sessions, tokens, chromium } = parts;
  return {
    sessionName: call.session,
    workspace: parts.workspace,
    status: () => statusOf(parts),
    tabs: (all) => tabsOf(parts, all ? undefined : call.session),
    stop: call.stop,
    restartBrowser: async (how) => {
      if (how?.window && !parts.hasScreen) throw noScreen();
      if (how?.fresh) await Promise.all(sessions.status().map(({ name }) => sessions.forget(name)));
      else await sessions.rememberAll();
      await chromium.close();
      sessions.lost("Chromium was restarted");
      if (how?.window !== undefined) chromium.hasWindow = how.window;
    },
    runStep,
    describeStep,
    saveState: () => sessions.stateOf(call.session),
    loadState: (state) => sessions.loadState(call.session, state),
    seal: async (text) => seal(text, await sealingKey(parts.keyFile)),
    unseal: async (sealed) => unseal(sealed, await sealingKey(parts.keyFile)),
    openSession: ({ name, scope, ownerPid }) => ({
      name,
      lease: sessions.leaseTo(name, ownerPid),
      token: tokens.issue(name, scope),
    }),
    closeSession: (name) => sessions.close(name),
    rules: parts.rules,
  };
}

function noScreen(): DevflowError {
  const reason = "There is no display to show a window on.";
  return new DevflowError("browse_page_failed", {
    details: { reason, next: "Take a screenshot instead: devflow browse screenshot" },
  });
}

export function statusOf(parts: ControlParts): DaemonStatus {
  const { chromium, sessions, workspace, version, startedAt, idleMinutes } = parts;
  chromium.reapIfKilled();
  const running = chromium.running;
  return {
    pid: process.pid,
    version,
    workspace,
    startedAt,
    idleMinutes,
    chromium: {
      state: chromium.state,
      ...(running ? { path: running.path, version: running.version, pid: running.pid } : {}),
      sandbox: chromium.sandbox.words,
      window: chromium.hasWindow,
    },
    sessions: sessions.status(),
    running: parts
      .running()
      .filter(({ command }) => !/^status\b/.test(command))
      .map(({ command, session, since }) => ({ command, session, ms: Date.now() - since })),
  };
}

export async function tabsOf({ sessions, chromium }: ControlParts, only: string | undefined): Promise<TabStatus[]> {
  const wanted = sessions.list().filter(({ name }) => only === undefined || name === only);
  const cdp = chromium.running?.cdp;
  const answer = cdp ? await tryWithin(cdp.send("Target.getTargets"), targetsLimitMs) : undefined;
  const targets = new Map(answer?.targetInfos.map((target) => [target.targetId, target]));
  const waiting = sessions
    .remembered()
    .filter(({ name }) => only === undefined || name === only)
    .flatMap(({ name, tabs, current }) =>
      tabs.map(({ id, url }) => ({ session: name, id, url, isCurrent: id === current })),
    );
  const open = wanted.flatMap((session) =>
    session.tabs().map((tab) => {
      const title = targets.get(tab.targetId ?? "")?.title;
      return {
        session: session.name,
        id: tab.id,
        url: tab.page.url(),
        ...(title ? { title } : {}),
        isCurrent: session.currentId === tab.id,
      };
    }),
  );
  return [...open, ...waiting];
}
