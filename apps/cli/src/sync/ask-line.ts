/** The first line of standard input: what a person pastes, or what is piped in. */
import type { CommandContext } from "@devflow/core/command";

const maxBytes = 4096;

export async function askLine({ output, stdinBytes }: CommandContext, question: string): Promise<string> {
  output.note(question);
  let text = "";
  for await (const chunk of stdinBytes()) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.includes("\n") || text.length > maxBytes) break;
  }
  return (text.split("\n")[0] ?? "").trim();
}
