/** `devflow upgrade | uninstall`: the executable itself. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

export const upgradeRecord = defineRecord({
  name: "upgrade",
  summary: "Install a newer release in place of this executable",
  description:
    "Takes the newest archive for this platform from a folder or URL that holds a SHA256SUMS, checks it, tries that it starts, and replaces the executable in one step. The one before stays for --rollback.",
  category: "Care",
  effect: "write",
  args: z.object({
    from: option(z.string().min(1).optional().describe("Folder or https URL of a release"), {
      placeholder: "<place>",
    }),
    check: z.boolean().default(false).describe("Only tell what would be installed"),
    rollback: z.boolean().default(false).describe("Put the executable before this one back"),
    allowDowngrade: z.boolean().default(false).describe("Install an older release too"),
  }),
  output: z.object({ from: z.string(), to: z.string(), path: z.string(), previous: z.string().optional() }),
  examples: [
    { run: "upgrade --from ./dist/release", does: "from a folder" },
    { run: "upgrade --rollback", does: "back to the one before" },
  ],
});

export const uninstallRecord = defineRecord({
  name: "uninstall",
  summary: "Stop the server and remove this executable",
  description: "Your data stays unless you say --data. It never asks, so it is safe in scripts.",
  category: "Care",
  effect: "write",
  args: z.object({
    data: z.boolean().default(false).describe("Remove the home with all of its data too"),
    yes: z.boolean().default(false).describe("Confirm --data"),
  }),
  output: z.object({ removed: z.array(z.string()), kept: z.array(z.string()) }),
  examples: [
    { run: "uninstall", does: "the program goes, the data stays" },
    { run: "uninstall --data --yes", does: "everything goes, for ever" },
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
