/** `docs/configuration.md`: every setting and variable, from the tables in core. */
import { defaultOf, environmentVariables, settingKeys, settings, variableOf } from "@devflow/core/config";
import { z } from "zod";
import { generatedFrom, markdownTable } from "./markdown.ts";

export function configurationPage(): string {
  const rows = settingKeys.map((key) => {
    const setting = settings[key];
    const remarks = [
      "fromRepository" in setting ? "repository" : "",
      "secret" in setting ? "secret" : "",
      "readBy" in setting ? setting.readBy : "",
    ];
    return [
      `\`${key}\``,
      `\`${variableOf(key)}\``,
      defaultText(key),
      setting.summary,
      remarks.filter(Boolean).join(", "),
    ];
  });
  const others = Object.entries(environmentVariables).map(([name, summary]) => [`\`${name}\``, summary]);
  return `# Configuration

${generatedFrom("packages/core/src/config.ts")}

A setting comes from the first of these sources that has it: a command flag, the environment variable, \`~/.devflow/config.yaml\`,
the \`settings\` of the repository's committed \`.devflow.json\`, the default. A repository may set only those marked *repository*,
which cannot run, redirect or expose anything. A \`.env\` file in the working folder and a plain \`DATABASE_URL\` are never read.
A change counts at once, except for those marked *server* (from the server's next start) and *browser* (from the browser's).

\`\`\`sh
devflow config list                 # show every value and its source
devflow config set log_level debug  # write config.yaml, keeping its comments
devflow config get log_level
devflow config unset log_level
\`\`\`

If the configuration has errors, all of them are reported at once and no command runs except \`devflow doctor\`. For editors that
support JSON Schema: [schemas/config.schema.json](../schemas/config.schema.json) describes \`config.yaml\`, and
[schemas/devflow.schema.json](../schemas/devflow.schema.json) describes \`.devflow.json\`.

## Settings

${markdownTable(["setting", "variable", "default", "meaning", ""], rows)}

## Other variables

${markdownTable(["variable", "meaning"], others)}
`;
}

function defaultText(key: (typeof settingKeys)[number]): string {
  const value = defaultOf(key);
  const choices = choicesOf(settings[key].schema());
  const shown = value === undefined || (Array.isArray(value) && value.length === 0) ? "none" : `\`${String(value)}\``;
  return choices.length > 0 ? `${shown} (of ${choices.map((choice) => `\`${choice}\``).join(", ")})` : shown;
}

function choicesOf(schema: z.ZodType): string[] {
  return schema instanceof z.ZodEnum ? schema.options.map(String) : [];
}
