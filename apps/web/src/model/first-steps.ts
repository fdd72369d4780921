/**
 * The first steps on the home page. The state of each step comes from data, never from a click.
 *
 * A step whose state the page cannot know (whether `doctor` was run) is `any-time`.
 */
import type { CommandSummary, ServerStatus } from "@devflow/protocol";

export interface FirstStep {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly state: "done" | "open" | "any-time";
  readonly command: string | undefined;
}

export interface Known {
  readonly status: ServerStatus;
  readonly repoCount: number;
  readonly memberCount: number;
  readonly changeCount: number;
  readonly commands: readonly CommandSummary[];
}

export function firstSteps({ status, repoCount, memberCount, changeCount, commands }: Known): FirstStep[] {
  /** The command line, if this server has the command. */
  const typed = (name: string, rest = "") =>
    commands.some((command) => command.name === name) ? `devflow ${name}${rest}` : undefined;
  const done = (is: boolean) => (is ? "done" : "open");
  return [
    {
      id: "server",
      title: "Start the server",
      detail: `Running as ${status.user.name}`,
      state: "done",
      command: typed("up", " -d"),
    },
    {
      id: "team",
      title: "Create a team",
      detail: teamsInWords(status) ?? "A team holds repositories, people and everything they record",
      state: done(status.teams.length > 0),
      command: typed("up", " -d --demo"),
    },
    {
      id: "repository",
      title: "Register a repository",
      detail: repoCount > 0 ? `${repoCount} registered` : "Runs, evals and the brain work on registered repositories",
      state: done(repoCount > 0),
      command: typed("up", " -d --demo"),
    },
    {
      id: "record",
      title: "Record a first change",
      detail: changeCount > 0 ? "Listed under Recent activity" : "Changes appear under Recent activity as they happen",
      state: done(changeCount > 0),
      command: typed("up", " -d --demo"),
    },
    {
      id: "doctor",
      title: "Check this machine",
      detail: "Checks git, tmux, Chromium, disk and settings, and says how to fix problems",
      state: "any-time",
      command: typed("doctor"),
    },
    {
      id: "backup",
      title: "Make a backup",
      detail:
        memberCount > 1
          ? "Everything your team has recorded, in one file"
          : "Everything you have recorded, in one file",
      state: "any-time",
      command: typed("backup"),
    },
  ];
}

/** One team by its name, several by their number, so that the text stays short. */
function teamsInWords({ teams }: ServerStatus): string | undefined {
  return teams.length > 1 ? `${teams.length} teams` : teams[0]?.name;
}
