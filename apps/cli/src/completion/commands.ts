/** `devflow completion bash | zsh | fish`: scripts made from the command records. */
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
    { run: "completion bash", does: "put the output into ~/.local/share/bash-completion/completions/devflow" },
    { run: "completion zsh", does: "put the output into a folder of $fpath as _devflow" },
    { run: "completion fish", does: "put the output into ~/.config/fish/completions/devflow.fish" },
  ],
});

export const completionCommands: readonly AnyCommand[] = [
  defineCommand(completionRecord, async () => (await import("./scripts.ts")).printCompletion),
];
