/** `devflow run lanes`: the tasks of a run that are worked on side by side. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { TaskView } from "@devflow/protocol";
import { z } from "zod";

export const runLanesRecord = defineRecord({
  name: "run lanes",
  summary: "Show the tasks of a run with lanes, and what each lane does",
  description: "A lane is a run of its own: every command on runs takes its id too.",
  category: "Runs",
  effect: "read",
  args: z.object({
    run: option(
      z.string().optional().describe("The run's id, or its beginning or end; by default the newest of this repository"),
      { positional: 0, placeholder: "<run>" },
    ),
  }),
  output: z.object({ run: z.string(), tasks: z.array(TaskView) }),
  examples: [{ run: "run lanes 3f9a2c1b", does: "see which lane waits for what" }],
});

export const laneCommands: readonly AnyCommand[] = [
  defineCommand(runLanesRecord, async () => (await import("./lanes.ts")).lanes),
];
