/**
 * A backend of your own: an agent that speaks the Agent Client Protocol, and how to start it.
 *
 * - `BackendDefinition` the content of `~/.devflow/backends/<name>.yaml`. Only a home has them: a repository that could name
 *   commands would run them on every machine that works on it.
 * - `personaOf(definition)` the persona that it stands for, so that roles can be bound to it without more files.
 */
import { capabilities, riskLevels, shippedBackends } from "@devflow/core/enums";
import { backendName } from "@devflow/protocol";
import { acpProfileNames } from "@devflow/session";
import { z } from "zod";
import { Persona } from "../personas/persona.ts";

const isShipped = (name: string): boolean => (shippedBackends as readonly string[]).includes(name);

const words = z
  .array(z.string().min(1), "expected a list of words, such as [copilot, --acp]")
  .min(1, "expected the program and its arguments, such as [copilot, --acp]");

export const BackendDefinition = z.strictObject({
  name: backendName
    .refine((name) => !isShipped(name), "is a backend that Devflow ships; choose another name")
    .describe("What personas, templates and --override call it; the file has the same name"),
  version: z.int().positive().default(1).describe("Raise it when you change the capabilities or the risk"),
  command: words.describe("The program, on your PATH or as an absolute path, and its arguments. Never a secret"),
  environment: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, "expected the name of a variable, or its beginning with *"))
    .default([])
    .describe("Names of variables that it gets besides the usual ones, such as that of its key: names, never values"),
  capabilities: z.array(z.enum(capabilities)).min(1).describe("What it can be asked to do"),
  maxRiskLevel: z.enum(riskLevels).default("medium").describe("The riskiest phase that it may work on"),
  vendor: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/, "lower case letters, digits and dashes")
    .optional()
    .describe("Whose models it uses, for reviewers that must differ; by default its own name"),
  mode: z.string().min(1).optional().describe("The mode in which it asks before it acts, as the agent names it"),
  profile: z.enum(acpProfileNames).optional().describe("What Devflow knows about this agent"),
});
export type BackendDefinition = z.output<typeof BackendDefinition>;

export const personaOf = ({ name, version, capabilities: able, maxRiskLevel }: BackendDefinition): Persona =>
  Persona.parse({ name, version, backend: name, capabilities: able, maxRiskLevel });
