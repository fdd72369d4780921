/** At most so many characters or lines, with a word about what was left out. Pure. */
export function boundedText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}\n… ${text.length - most} more characters; all: --max ${text.length}`;
}

export function boundedLines(lines: readonly string[], most: number, nothing: string): string {
  if (lines.length === 0) return nothing;
  if (lines.length <= most) return lines.join("\n");
  return [`… ${lines.length - most} older; all: --last ${lines.length}`, ...lines.slice(-most)].join("\n");
}
