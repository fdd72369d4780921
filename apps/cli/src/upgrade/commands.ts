/** `devflow upgrade | uninstall`: the executable itself. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

export const upgradeRecord = defineRecord({
  name: "upgrade",
  summary: "Replace this executable with a newer release",
  description:
    "Takes the newest archive for this platform from a folder or URL with a SHA256SUMS file, checks it, tests that it starts, and replaces the executable in one step. The previous one is kept for --rollback.",
  category: "Care",
  effect: "write",
  args: z.object({
    from: option(z.string().min(1).optional().describe("Folder or https URL of a release"), {
      placeholder: "<place>",
    }),
    check: z.boolean().default(false).describe("Only show what would be installed"),
    rollback: z.boolean().default(false).describe("Restore the previous executable"),
    allowDowngrade: z.boolean().default(false).describe("Also install an older release"),
  }),
  output: z.object({ from: z.string(), to: z.string(), path: z.string(), previous: z.string().optional() }),
  examples: [
    { run: "upgrade --from ./dist/release", does: "upgrade from a folder" },
    { run: "upgrade --rollback", does: "restore the previous version" },
  ],
});

export const uninstallRecord = defineRecord({
  name: "uninstall",
  summary: "Stop the server and remove this executable",
  description: "Keeps your data unless you use --data. It never prompts, so it can be used in scripts.",
  category: "Care",
  effect: "write",
  destroys: true,
  args: z.object({
    data: option(z.boolean().default(false).describe("Also remove the home with all its data"), { destroys: true }),
    yes: option(z.boolean().default(false).describe("Confirm --data"), { destroys: true }),
  }),
  output: z.object({ removed: z.array(z.string()), kept: z.array(z.string()) }),
  examples: [
    { run: "uninstall", does: "remove the program, keep the data" },
    { run: "uninstall --data --yes", does: "remove everything, permanently" },
  ],
});

export const upgradeCommands: readonly AnyCommand[] = [
  defineCommand(upgradeRecord, async () => (await import("./upgrade.ts")).upgrade),
  defineCommand(uninstallRecord, async () => {
    const [{ makeUninstall }, { uninstallParts }] = await Promise.all([
      import("./uninstall.ts"),
      import("./uninstall-parts.ts"),
    ]);
    return makeUninstall(uninstallParts);
  }),
];
