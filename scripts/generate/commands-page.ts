/** `docs/commands.md`: every command, from the command records. */
import { allCommands } from "@devflow/cli/commands";
import { commandHelp } from "@devflow/cli/help";
import { commandCategories } from "@devflow/core/command";
import { generatedFrom } from "./markdown.ts";

export async function commandsPage(): Promise<string> {
  const commands = (await allCommands()).filter(({ hidden }) => !hidden);
  const sections = commandCategories.flatMap((category) => {
    const members = commands.filter((command) => command.category === category);
    const parts = members.map(
      (command) => `### devflow ${command.name}\n\n\`\`\`text\n${commandHelp(command).trimEnd()}\n\`\`\``,
    );
    return members.length > 0 ? [`## ${category}\n\n${parts.join("\n\n")}`] : [];
  });
  return `# Commands

${generatedFrom("the command records in apps/cli/src")}

Results go to standard output, messages to standard error. Every command accepts \`--json\`, \`--help\` and \`--debug\`; with
\`--help --json\` it prints the JSON Schema of its arguments. For an unknown flag or command, the error suggests the nearest name.

${sections.join("\n\n")}
`;
}
