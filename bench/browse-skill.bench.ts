import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineBenchmark, limitGoal } from "./benchmark.ts";
import { bytesOf } from "./browse/browse-benchmark.ts";
import { findRivals } from "./browse/rivals.ts";

const skills = {
  "agent-browser": "agent-browser/skills/agent-browser/SKILL.md",
  "agent-browser, the core that its skill points to": "agent-browser/skill-data/core/SKILL.md",
  "playwright-cli": "@playwright/cli/skills/playwright-cli/SKILL.md",
  "chrome-devtools": "chrome-devtools-mcp/skills/chrome-devtools-cli/SKILL.md",
} as const;

export default defineBenchmark({
  name: "browse-skill",
  what: "The skill text that an agent loads before its first command.",
  unit: "bytes",
  rounds: 1,
  warmUp: 0,
  goals: [limitGoal("at most 2 KB", "devflow", 2_048, "bytes")],
  prepare: async (context) => {
    const contender = (name: string, path: string) => ({
      name,
      sample: async () => [bytesOf(readFileSync(path, "utf8"))],
    });
    const rivals = findRivals(context);
    const theirs = rivals === undefined ? [] : Object.entries(skills);
    return {
      contenders: [
        contender("devflow", join(context.root, "skills/browse/SKILL.md")),
        ...theirs.map(([name, path]) => contender(name, join(rivals ?? "", path))),
      ],
    };
  },
});
