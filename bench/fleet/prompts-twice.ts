/** How many prompts an agent received more than once, by the journals of all agents in these homes. */
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";

export async function promptsTwice(homes: readonly string[]): Promise<number> {
  let twice = 0;
  for (const home of homes) {
    for await (const file of glob("workspaces/*/sessions/*/journal.jsonl", { cwd: home })) {
      const lines = (await readFile(join(home, file), "utf8")).split("\n").filter(Boolean);
      const keys = lines.map((line) => (JSON.parse(line) as { dedupKey: string }).dedupKey);
      twice += keys.length - new Set(keys).size;
    }
  }
  return twice;
}
