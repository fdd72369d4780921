/** `devflow dashboard`: the team's numbers in the browser. */
import { type AnyCommand, defineCommand, defineRecord } from "@devflow/core/command";
import { z } from "zod";

export const dashboardRecord = defineRecord({
  name: "dashboard",
  summary: "Open the team's dashboard in the browser",
  description:
    "On the team server of this repository, else on this machine's server, which is started if it does not run. Prints a link that signs in once.",
  category: "Team",
  effect: "read",
  args: z.object({
    print: z.boolean().default(false).describe("Print the link only"),
    team: z.string().optional().describe("The team's slug, if you are in several"),
    server: z.string().optional().describe("The team server, instead of the repository's"),
  }),
  examples: [
    { run: "dashboard", does: "open it" },
    { run: "dashboard --print", does: "for another machine's browser" },
  ],
});

export const dashboardCommands: readonly AnyCommand[] = [
  defineCommand(dashboardRecord, async () => (await import("./dashboard.ts")).dashboard),
];
