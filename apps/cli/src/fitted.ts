/** `fitted(text, columns)`: text cut to a terminal width. */
export function fitted(text: string, columns: number): string {
  if (Bun.stringWidth(text) <= columns) return text;
  let cut = text.slice(0, Math.max(0, columns - 1));
  while (cut !== "" && Bun.stringWidth(cut) > columns - 1) cut = cut.slice(0, -1);
  return `${cut}…`;
}
