/** `devflow completion bash | zsh | fish`: scripts generated from the command records. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

export const shells = ["bash", "zsh", "fish"] as const;

export const completionRecord = defineRecord({
  name: "completion",
  summary: "Print a completion script for your shell",
  category: "Settings",
  effect: "meta",
  args: z.object({ shell: option(z.enum(shells).describe("Which shell"), { positional: 0 }) }),
  examples: [
    { run: "completion bash", does: "save the output as ~/.local/share/bash-completion/completions/devflow" },
    { run: "completion zsh", does: "save the output as _devflow in a folder of $fpath" },
    { run: "completion fish", does: "save the output as ~/.config/fish/completions/devflow.fish" },
  ],
});

export const completionCommands: readonly AnyCommand[] = [
  defineCommand(completionRecord, async () => (await import("./scripts.ts")).printCompletion),
];
