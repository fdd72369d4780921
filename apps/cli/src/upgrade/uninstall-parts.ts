/** The real server and the real folders for `devflow uninstall`. */
import type { CommandContext, Output } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { postgresPlaces } from "@devflow/db/postgres";
import { hostNames } from "@devflow/skills";
import { hookHostNames } from "@devflow/skills/hosts";
import { uninstallFrom } from "../hooks/install.ts";
import { down } from "../server/down.ts";
import { removeFrom } from "../skills/install.ts";
import type { UninstallParts } from "./uninstall.ts";

const silent: Output = {
  json: false,
  isTerminal: false,
  columns: 80,
  result: () => {},
  item: () => {},
  note: () => {},
};

export const uninstallParts: UninstallParts = {
  stop: async (context) => {
    await down({ force: true }, { ...context, output: silent });
  },
  dataOutside: async (home) => {
    const { base, socket } = postgresPlaces(homeAt(home).postgresFolder);
    return [base, socket].filter((folder) => !folder.startsWith(`${home}/`));
  },
  removeSkills: async (context) => {
    const results = await Promise.all(hostNames.map((host) => removeFrom({ host, project: false }, context)));
    const skills = results.flatMap((result) =>
      result.skills.filter(({ outcome }) => outcome === "removed").map(({ path }) => path),
    );
    return [...skills, ...(await removeHooks(context))];
  },
};

/** A settings file that cannot be changed keeps its entries; they do nothing without Devflow. */
async function removeHooks(context: CommandContext): Promise<string[]> {
  const removed: string[] = [];
  for (const host of hookHostNames) {
    const { file, outcome } = await uninstallFrom({ host, project: false }, context).catch(() => ({
      file: "",
      outcome: "absent",
    }));
    if (outcome === "removed") removed.push(`hooks in ${file}`);
  }
  return removed;
}
