/** Limits text or lines and says how much was left out. Pure. */
export function boundedText(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max)}\n… ${text.length - max} more characters; all: --max ${text.length}`;
}

export function boundedLines(lines: readonly string[], max: number, nothing: string): string {
  if (lines.length === 0) return nothing;
  if (lines.length <= max) return lines.join("\n");
  return [`… ${lines.length - max} older; all: --last ${lines.length}`, ...lines.slice(-max)].join("\n");
}
