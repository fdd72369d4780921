/** `docs/configuration.md`: every setting and variable, from the tables in core. */
import { environmentVariables, settingKeys, settings, variableOf } from "@devflow/core/config";
import { z } from "zod";
import { generatedFrom, markdownTable } from "./markdown.ts";

export function configurationPage(): string {
  const rows = settingKeys.map((key) => {
    const setting = settings[key];
    const remarks = ["fromRepository" in setting ? "repository" : "", "secret" in setting ? "secret" : ""];
    return [
      `\`${key}\``,
      `\`${variableOf(key)}\``,
      defaultOf(key),
      setting.summary,
      remarks.filter(Boolean).join(", "),
    ];
  });
  const others = Object.entries(environmentVariables).map(([name, summary]) => [`\`${name}\``, summary]);
  return `# Configuration

${generatedFrom("packages/core/src/config.ts")}

A setting is taken from the first of these that has it: a flag of the command, the variable, \`~/.devflow/config.yaml\`, the
\`settings\` of the repository's committed \`.devflow.json\`, the default. A repository may set only those marked *repository*:
they cannot run, redirect or expose anything. A \`.env\` of the working folder is never read, nor is a bare \`DATABASE_URL\`.

\`\`\`sh
devflow config list                 # every value and where it comes from
devflow config set log_level debug  # writes config.yaml; comments in it stay
devflow config get log_level
devflow config unset log_level
\`\`\`

All faults are told at once, and nothing runs with a configuration that has one; \`devflow doctor\` works nevertheless.
Editors that know JSON Schema find \`config.yaml\` in [schemas/config.schema.json](../schemas/config.schema.json) and
\`.devflow.json\` in [schemas/devflow.schema.json](../schemas/devflow.schema.json).

## Settings

${markdownTable(["setting", "variable", "default", "meaning", ""], rows)}

## Other variables

${markdownTable(["variable", "meaning"], others)}
`;
}

function defaultOf(key: (typeof settingKeys)[number]): string {
  const value: unknown = settings[key].schema.safeParse(undefined).data;
  const choices = choicesOf(settings[key].schema);
  const shown = value === undefined || (Array.isArray(value) && value.length === 0) ? "none" : `\`${String(value)}\``;
  return choices.length > 0 ? `${shown} (of ${choices.map((choice) => `\`${choice}\``).join(", ")})` : shown;
}

function choicesOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return choicesOf(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodEnum ? schema.options.map(String) : [];
}
