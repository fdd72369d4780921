/**
 * A prompt in a form that identifies the question it asks.
 *
 * - `promptHash(subject)` the dedup key: equal questions have equal keys.
 * - `makeEnvelope(…)` its uuid is derived from the key, so that a replay sends the same bytes.
 * - `renderEnvelope(envelope)` the text; instructions above 4 kB go to a file that it points to.
 */
import { hash } from "@devflow/core/hash";
import { uuidv5 } from "@devflow/core/ids";

export interface PromptSubject {
  readonly runId: string;
  readonly roleId: string;
  readonly phaseKey: string;
  readonly expectedArtifact: string;
  readonly expectedSchema: string;
  readonly instructions: string;
  readonly attempt: number;
}

export interface PromptEnvelope extends PromptSubject {
  readonly uuid: string;
  readonly dedupKey: string;
}

const promptNamespace = "6f1c0a52-6f0e-4c3a-9d7b-0d3f5a6e9c11";
export const maxInlineBytes = 4096;

function promptHash(subject: PromptSubject): string {
  const { runId, roleId, phaseKey, expectedArtifact, expectedSchema, instructions, attempt } = subject;
  return hash({ runId, roleId, phaseKey, expectedArtifact, expectedSchema, instructions, attempt });
}

export function makeEnvelope(subject: PromptSubject): PromptEnvelope {
  const dedupKey = promptHash(subject);
  return { ...subject, dedupKey, uuid: uuidv5(promptNamespace, dedupKey) };
}

/** `instructionsFile` is where long instructions were written. */
export function renderEnvelope(envelope: PromptEnvelope, instructionsFile?: string): string {
  const instructions = instructionsFile
    ? `Read the file ${instructionsFile} and follow it. It is too long to include here.`
    : envelope.instructions;
  return [
    `DEVFLOW_PROMPT_BEGIN ${envelope.uuid}`,
    `Run: ${envelope.runId}`,
    `Role: ${envelope.roleId}`,
    `Phase: ${envelope.phaseKey}`,
    `Attempt: ${envelope.attempt}`,
    `Expected artifact: ${envelope.expectedArtifact}`,
    `Expected schema: ${envelope.expectedSchema}`,
    `Dedup-Key: ${envelope.dedupKey}`,
    "Instructions:",
    instructions,
    `DEVFLOW_PROMPT_END ${envelope.uuid}`,
  ].join("\n");
}

export const isLong = (instructions: string): boolean => Buffer.byteLength(instructions) > maxInlineBytes;
