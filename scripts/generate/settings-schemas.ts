/** JSON Schemas of the two files that people edit: `config.yaml` and a repository's `.devflow.json`. */
import { hookParts } from "@devflow/brain/hooks";
import { defaultOf, type SettingKey, settingKeys, settings } from "@devflow/core/config";
import { z } from "zod";

const dialect = "https://json-schema.org/draft/2020-12/schema";

export function configSchema(): string {
  return writeSchema({
    $schema: dialect,
    title: "Devflow's settings, ~/.devflow/config.yaml",
    type: "object",
    properties: propertiesOf(settingKeys),
    additionalProperties: false,
  });
}

export function repositorySchema(): string {
  const shared = settingKeys.filter((key) => "fromRepository" in settings[key]);
  return writeSchema({
    $schema: dialect,
    title: "A repository's settings for Devflow, .devflow.json",
    type: "object",
    properties: {
      $schema: { type: "string" },
      server: {
        description: "The team server, https://… without a path; `devflow sync init` writes it",
        type: "string",
      },
      team: { description: "The slug of the team on that server", type: "string" },
      hooks: {
        description: "What hooks of agents do here; false: nothing",
        anyOf: [
          { type: "boolean" },
          {
            type: "object",
            properties: {
              off: { description: "Parts that are off", type: "array", items: { enum: hookParts } },
              ignore: { description: "Files that are left out, as patterns", type: "array", items: { type: "string" } },
              wip: { description: "Share work in progress with teammates' prechecks", type: "boolean" },
            },
            additionalProperties: false,
          },
        ],
      },
      anonKey: {
        description: "The anon key, if the server is a Supabase project; it is public, and no secret",
        type: "string",
      },
      settings: {
        description: "Settings that a repository may choose for everyone who works in it",
        type: "object",
        properties: propertiesOf(shared),
        additionalProperties: false,
      },
    },
  });
}

function schemaOf(key: SettingKey): z.ZodType {
  const schema: z.ZodType = settings[key].schema();
  const value = defaultOf(key);
  return value === undefined ? schema : schema.default(value);
}

function propertiesOf(keys: readonly SettingKey[]): Record<string, unknown> {
  return Object.fromEntries(
    keys.map((key) => {
      const { $schema: _dialect, ...schema } = z.toJSONSchema(schemaOf(key), {
        io: "input",
        unrepresentable: "any",
      });
      return [key, { description: settings[key].summary, ...schema }];
    }),
  );
}

/** Lists of words are on one line, as the formatter expects. */
export function writeSchema(schema: object): string {
  const text = JSON.stringify(schema, null, 2).replace(/\[\s+((?:"[^"\n]*",?\s+)+)\]/g, (_list, words: string) => {
    return `[${words.trim().replace(/,\s+/g, ", ")}]`;
  });
  return `${text}\n`;
}
