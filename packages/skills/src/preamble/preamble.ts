/**
 * What a skill's first command prints: where the agent is, who else works here, what is waiting for a person, how to ask.
 *
 * - `collectFacts(place)` reads files only, so that it takes milliseconds.
 * - `preambleText(facts)` the lines; unknown facts are left out.
 */
import { statSync } from "node:fs";
import { glob } from "node:fs/promises";
import { basename, join } from "node:path";
import { findCheckout } from "@devflow/git/checkout";
import { agentProcess } from "./agent-process.ts";

import { countSessions } from "./sessions.ts";

export interface PreamblePlace {
  readonly cwd: string;
  /** DEVFLOW_HOME. */
  readonly home: string;
  readonly version: string;
  /** The calling process; the agent is this process or an ancestor. */
  readonly callerPid: number;
  readonly nowMs: number;
  readonly isContributor: boolean;
}

export interface PreambleFacts {
  readonly version: string;
  readonly repository?: string;
  readonly branch?: string;
  readonly base?: string;
  /** Agents that used a skill in the last two hours, this one included. */
  readonly sessions: number;
  readonly teamCacheAgeMs?: number;
  /** Gates waiting for a person; undefined when no server runs here. */
  readonly openGates?: number;
  /** A newer Devflow that can be installed. */
  readonly update?: string;
  readonly isContributor: boolean;
  readonly contributorFolder: string;
}

/** From this many on, a person cannot tell which window is asking. */
const manySessions = 3;

export async function collectFacts(place: PreamblePlace): Promise<PreambleFacts> {
  const checkout = findCheckout(place.cwd);
  const repository = checkout && basename(checkout.root);
  const age = repository && (await teamCacheAge(place, repository));
  return {
    version: place.version,
    ...(repository ? { repository } : {}),
    ...(checkout?.branch ? { branch: checkout.branch } : {}),
    ...(checkout?.base ? { base: checkout.base } : {}),
    sessions: countSessions(join(place.home, "skill-sessions"), agentProcess(place.callerPid), place.nowMs),
    ...(age ? { teamCacheAgeMs: age } : {}),
    isContributor: place.isContributor,
    contributorFolder: join(place.home, "contributor-notes"),
  };
}

export function preambleText(facts: PreambleFacts): string {
  const where = [
    facts.repository && `repository ${facts.repository}`,
    facts.branch && `branch ${facts.branch}`,
    facts.base && `base ${facts.base}`,
  ].filter(Boolean);
  const lines = [
    `devflow ${facts.version}${where.length > 0 ? ` · ${where.join(" · ")}` : " · no git repository here"}`,
    ...(facts.update ? [`update: Devflow ${facts.update} is available; tell the person: devflow upgrade`] : []),
    ...(facts.teamCacheAgeMs === undefined ? [] : [`team cache: ${ageOf(facts.teamCacheAgeMs)} old`]),
    ...(facts.openGates
      ? [`gates: ${facts.openGates} waiting for a person; you may not decide them: devflow run list`]
      : []),
    "Ask only what you cannot find out. One question at a time: the situation in a sentence, the question, " +
      '"I recommend B, because …", then the options A) B) C).',
    ...(facts.sessions >= manySessions
      ? [
          `${facts.sessions} agents are at work on this machine: begin each question with the project, the branch and what you are doing.`,
        ]
      : []),
    ...(facts.isContributor
      ? [
          `Contributor mode: when Devflow itself misbehaves, write what you did, expected and got to ${facts.contributorFolder}/<date>-<subject>.md, and continue.`,
        ]
      : []),
  ];
  return lines.join("\n");
}

/** The newest copy of this repository's team cache, whichever team and server it came from. */
async function teamCacheAge({ home, nowMs }: PreamblePlace, repository: string): Promise<number | undefined> {
  const times: number[] = [];
  for await (const file of glob(`*/*/${repository}/.meta.json`, { cwd: join(home, "teams") })) {
    times.push(statSync(join(home, "teams", file)).mtimeMs);
  }
  return times.length > 0 ? Math.max(0, nowMs - Math.max(...times)) : undefined;
}

function ageOf(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
}
