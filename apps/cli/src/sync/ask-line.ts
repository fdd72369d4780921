/**
 * What a person types or pastes, line by line, or what is piped in.
 *
 * - `lineAsker(context)` asks one question after another; `askLine(context, question)` only one.
 */
import type { CommandContext } from "@devflow/core/command";

const maxBytes = 4096;

export function lineAsker({ output, stdinBytes }: CommandContext): (question: string) => Promise<string> {
  let bytes: AsyncIterator<Uint8Array> | undefined;
  let text = "";
  return async (question) => {
    output.note(question);
    bytes ??= stdinBytes()[Symbol.asyncIterator]();
    while (!text.includes("\n") && text.length <= maxBytes) {
      const next = await bytes.next();
      if (next.done) break;
      text += Buffer.from(next.value).toString("utf8");
    }
    const [line = "", ...rest] = text.split("\n");
    text = rest.join("\n");
    return line.trim();
  };
}

export function askLine(context: CommandContext, question: string): Promise<string> {
  return lineAsker(context)(question);
}
