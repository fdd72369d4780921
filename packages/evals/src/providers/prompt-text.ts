/** `promptText(prompt)` a prompt as one text, for agents, which take no conversation. */
import type { ChatMessage } from "./provider.ts";

export const promptText = (prompt: string | readonly ChatMessage[]): string =>
  typeof prompt === "string" ? prompt : prompt.map(({ content }) => content).join("\n\n");
