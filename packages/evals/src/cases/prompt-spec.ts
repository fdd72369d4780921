/**
 * A prompt as a suite writes it, with `{{name}}` where a member of the case's input goes.
 *
 * - `promptSpec` zod schema: a text, or an object with a text, a file or messages.
 */
import { z } from "zod";

const message = z.strictObject({
  role: z.enum(["system", "developer", "user", "assistant"]),
  content: z.string(),
});

const options = z
  .strictObject({
    /** How reports call this variant; `prompt 1`, `prompt 2`, … by default. */
    name: z.string().trim().min(1).max(200).optional(),
    text: z.string().min(1).optional(),
    /** Relative to the project, or else to the suite's file. */
    file: z.string().min(1).optional(),
    messages: z.array(message).min(1).optional(),
    /** Sent before `text` or `file`. */
    system: z.string().min(1).optional(),
    /** `json`: the answer must be JSON, and the expectations read its members. */
    output: z.enum(["text", "json"]).default("text"),
  })
  .refine(({ text, file, messages }) => [text, file, messages].filter((one) => one !== undefined).length === 1, {
    message: "give text, file or messages, and only one of them",
  })
  .refine(({ system, messages }) => system === undefined || messages === undefined, {
    path: ["system"],
    message: "put the system prompt into the messages",
  });

export const promptSpec = z.union([
  z
    .string()
    .min(1)
    .transform((text) => options.parse({ text })),
  options,
]);
export type PromptSpec = z.output<typeof options>;
