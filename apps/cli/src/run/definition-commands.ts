/** `devflow template …`, `devflow persona …` and `devflow schema …`. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { PersonaView, TemplateView } from "@devflow/protocol";
import { z } from "zod";

const named = (what: string) =>
  option(z.string().describe(`${what}: name@version, or a name for its newest version`), {
    positional: 0,
    placeholder: "<name>",
  });
const files = () =>
  option(z.array(z.string()).min(1).describe("The files to check"), { positional: 0, placeholder: "<file>" });
/** `shipped`, or the file; for a repository's, with the commit it was read from. */
const source = z.string();
const verdict = z.object({ ok: z.boolean(), files: z.array(z.unknown()) });

export const templateListRecord = defineRecord({
  name: "template list",
  summary: "List the templates that runs can be started with",
  category: "Runs",
  effect: "read",
  args: z.object({}),
  output: z.object({ templates: z.array(TemplateView.extend({ source })) }),
  examples: [{ run: "template list", does: "shipped ones, those in your home and those of the repository" }],
});

export const templateShowRecord = defineRecord({
  name: "template show",
  summary: "Print a template",
  category: "Runs",
  effect: "read",
  args: z.object({ name: named("Which template") }),
  examples: [{ run: "template show development@1", does: "show its text and hash" }],
});

export const templateValidateRecord = defineRecord({
  name: "template validate",
  summary: "Check template files and report every error with its line",
  category: "Runs",
  effect: "read",
  args: z.object({ files: files() }),
  output: verdict,
  examples: [{ run: "template validate mine@1.yaml", does: "check it before adding it to your home" }],
});

export const templateSeedRecord = defineRecord({
  name: "template seed",
  summary: "Make the running server reload templates and personas",
  category: "Runs",
  effect: "write",
  args: z.object({}),
  examples: [{ run: "template seed", does: "load a new file in your home" }],
});

export const personaListRecord = defineRecord({
  name: "persona list",
  summary: "List the personas that can play roles",
  category: "Runs",
  effect: "read",
  args: z.object({}),
  output: z.object({ personas: z.array(PersonaView.extend({ source })) }),
  examples: [{ run: "persona list", does: "shipped ones, those in your home and those of the repository" }],
});

export const personaShowRecord = defineRecord({
  name: "persona show",
  summary: "Print a persona",
  category: "Runs",
  effect: "read",
  args: z.object({ name: named("Which persona") }),
  examples: [{ run: "persona show claude-coder", does: "show its text and hash" }],
});

export const personaValidateRecord = defineRecord({
  name: "persona validate",
  summary: "Check persona files and report every error with its line",
  category: "Runs",
  effect: "read",
  args: z.object({ files: files() }),
  output: verdict,
  examples: [{ run: "persona validate mine@1.yaml", does: "check it before adding it to your home" }],
});

export const schemaListRecord = defineRecord({
  name: "schema list",
  summary: "List the artifact schemas that templates can name",
  category: "Runs",
  effect: "read",
  args: z.object({}),
  output: z.object({ schemas: z.array(z.object({ id: z.string(), title: z.string(), source })) }),
  examples: [{ run: "schema list", does: "shipped ones, those in your home and those of the repository" }],
});

export const schemaValidateRecord = defineRecord({
  name: "schema validate",
  summary: "Check artifact schemas: errors, and what is allowed but probably a mistake",
  category: "Runs",
  effect: "read",
  args: z.object({ files: files() }),
  output: verdict,
  examples: [{ run: "schema validate .devflow/schemas/my/note@1.json", does: "check it before you commit it" }],
});

export const definitionCommands: readonly AnyCommand[] = [
  defineCommand(templateListRecord, async () => (await import("./definitions.ts")).listTemplates),
  defineCommand(templateShowRecord, async () => (await import("./definitions.ts")).showTemplate),
  defineCommand(templateValidateRecord, async () => (await import("./definitions.ts")).validateTemplates),
  defineCommand(templateSeedRecord, async () => (await import("./definitions.ts")).seed),
  defineCommand(personaListRecord, async () => (await import("./definitions.ts")).listPersonas),
  defineCommand(personaShowRecord, async () => (await import("./definitions.ts")).showPersona),
  defineCommand(personaValidateRecord, async () => (await import("./definitions.ts")).validatePersonas),
  defineCommand(schemaListRecord, async () => (await import("./definitions.ts")).listSchemas),
  defineCommand(schemaValidateRecord, async () => (await import("./definitions.ts")).validateSchemas),
];
