/** The templates and personas in the home. A running server also knows which of them differ from what was published. */
import { homeAt } from "@devflow/core/home";
import { TemplateList } from "@devflow/protocol";
import { callServer } from "../../server/client.ts";
import { findServer } from "../../server/state.ts";
import { type Check, fail, pass } from "../check.ts";

export const checkDefinitions: Check = {
  name: "definitions",
  run: async ({ inspection: { home } }) => {
    const problems = await problemsOf(home);
    if (problems.length === 0) return pass("templates and personas are valid");
    const ignored = problems.length === 1 ? "1 file is ignored" : `${problems.length} files are ignored`;
    return fail(`${ignored}: ${problems.join("; ")}`, "Fix it, then check it: devflow template validate <file>");
  },
};

async function problemsOf(home: string): Promise<string[]> {
  const server = await findServer(homeAt(home));
  if (server) {
    const { faults } = await callServer(server, "/api/templates", TemplateList);
    return faults.map(({ problem }) => oneLine(problem));
  }
  const { readDefinitions, shownFaults } = await import("@devflow/runs");
  const { refused } = await readDefinitions({ home });
  return refused.map(({ file, faults }) => oneLine(shownFaults(file, faults)));
}

const oneLine = (text: string): string => text.replaceAll("\n", "; ");
