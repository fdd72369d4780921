/** `devflow skills install` and `devflow skills remove`. */
import { homedir } from "node:os";
import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { repositoryRoot } from "@devflow/git";
import { hosts, type InstallResult, installSkills, readSkills, removeSkills, skillsFolder } from "@devflow/skills";
import { bundledSkillsFolder } from "../embedded.ts";
import type { skillsInstallRecord, skillsRemoveRecord } from "./commands.ts";

type Place = InputOf<typeof skillsRemoveRecord>;

export const install: HandlerOf<typeof skillsInstallRecord> = async ({ host, project, force }, context) => {
  const { into, library } = await placeOf({ host, project }, context);
  const results = await installSkills(await readSkills(bundledSkillsFolder()), {
    into,
    force,
    ...(library === undefined ? {} : { library }),
  });
  const refused = results.filter(({ outcome }) => outcome === "refused");
  context.output.result(
    { host, folder: into, skills: results },
    `${hosts[host].title} in ${into}: ${summary(results)}${results.length > refused.length ? "\nRestart it to load them, then type /browse, or ask it to open a page." : ""}`,
  );
  if (refused.length === 0) return 0;
  context.output.note(
    `Left alone because Devflow did not make them: ${names(refused)}. To replace them: devflow skills install --host ${host}${project ? " --project" : ""} --force`,
  );
  return 75;
};

export const remove: HandlerOf<typeof skillsRemoveRecord> = async (place, context) => {
  const { folder, skills } = await removeFrom(place, context);
  context.output.result(
    { host: place.host, folder, skills },
    skills.length > 0 ? `${folder}: ${summary(skills)}` : `There are no Devflow skills in ${folder}.`,
  );
};

/** Also for `devflow uninstall`. */
export async function removeFrom(
  place: Place,
  context: CommandContext,
): Promise<{ folder: string; skills: InstallResult[] }> {
  const { into: folder, library } = await placeOf(place, context);
  const skills = await readSkills(bundledSkillsFolder());
  return {
    folder,
    skills: await removeSkills(skills, { into: folder, ...(library === undefined ? {} : { library }) }),
  };
}

async function placeOf({ host, project }: Place, context: CommandContext): Promise<{ into: string; library?: string }> {
  const { cwd, env, signal } = context;
  const home = env.HOME || homedir();
  if (!project) {
    return { into: skillsFolder(host, { home, env }), library: homeAt(context.inspectConfig().home).skillsFolder };
  }
  const root = await repositoryRoot({ cwd, env, signal });
  if (root) return { into: skillsFolder(host, { home, env, project: root }) };
  throw new DevflowError("input_invalid", {
    details: {
      problem: `${cwd} is not in a git repository.`,
      next: `Change to one, or install for yourself: devflow skills install --host ${host}`,
    },
  });
}

const names = (results: readonly InstallResult[]): string => results.map(({ name }) => name).join(", ");

function summary(results: readonly InstallResult[]): string {
  const byOutcome = Map.groupBy(results, ({ outcome }) => outcome);
  return [...byOutcome].map(([outcome, some]) => `${outcome} ${names(some)}`).join("; ");
}
