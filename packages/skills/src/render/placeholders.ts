/**
 * What replaces `{{NAME}}` in a template. To add a placeholder, add a row.
 *
 * - `placeholders[name]({ skill, commands })` its text, derived from the command records where it names commands.
 */
import type { AnyCommand } from "@devflow/core/command";
import { commandReference } from "./command-reference.ts";
import { qaMethodology } from "./qa-methodology.ts";
import { snapshotFlags } from "./snapshot-flags.ts";

export interface PlaceholderInput {
  readonly skill: string;
  readonly commands: readonly AnyCommand[];
}

export const placeholders: Readonly<Record<string, (input: PlaceholderInput) => string>> = {
  PREAMBLE: ({ skill }) => `Run \`devflow skills preamble ${skill}\` first, and do what it says.`,
  COMMAND_REFERENCE: ({ commands }) => commandReference(commands),
  SNAPSHOT_FLAGS: ({ commands }) => snapshotFlags(commands),
  BROWSE_SETUP: () =>
    "`devflow browse status` shows the browser; it starts on first use. No Chromium? The error names the command that installs one.",
  BASE_BRANCH_DETECT: () =>
    "The preamble's `base` is the branch to compare with; what changed is `git diff <base>...HEAD --stat`. No base: ask.",
  QA_METHODOLOGY: () => qaMethodology,
};
