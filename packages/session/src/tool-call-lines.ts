/**
 * A tool call in a transcript: `● <tool> <input>`, and `│ ` before each further line of its input, so that a reader can tell
 * a command of several lines from what the agent says.
 */
export function toolCallLines(call: string): string[] {
  const [first = "", ...more] = call.split("\n");
  return [`● ${first}`, ...more.map((line) => `│ ${line}`)];
}
