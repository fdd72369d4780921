/** The real server and the real folders for `devflow uninstall`. */
import type { Output } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { postgresPlaces } from "@devflow/db/postgres";
import { hostNames } from "@devflow/skills";
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
    return results.flatMap(({ skills }) =>
      skills.filter(({ outcome }) => outcome === "removed").map(({ path }) => path),
    );
  },
};
