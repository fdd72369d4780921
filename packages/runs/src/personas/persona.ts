/** A persona: the configuration of an agent. Published versions never change. */
import { capabilities, riskLevels } from "@devflow/core/enums";
import { hash } from "@devflow/core/hash";
import { backendName } from "@devflow/protocol";
import { z } from "zod";

export const Persona = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]*$/, "lower case letters, digits and dashes"),
  version: z.number().int().positive(),
  backend: backendName,
  capabilities: z.array(z.enum(capabilities)),
  maxRiskLevel: z.enum(riskLevels),
  allowedRoles: z.array(z.string()).optional(),
  promptConfig: z
    .strictObject({ systemPrompt: z.string().optional(), instructionsPrelude: z.string().optional() })
    .default({}),
  modelConfig: z.record(z.string(), z.unknown()).default({}),
});
export type Persona = z.output<typeof Persona>;

export const personaId = ({ name, version }: { name: string; version: number }): string => `${name}@${version}`;

export const personaHash = (persona: Persona): string => hash(persona);
