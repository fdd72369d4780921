/** Text columns, aligned by their width on a terminal. Numbers are right-aligned. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

export function textTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map(({ title }, index) =>
    Math.max(width(title), ...rows.map((row) => width(row[index] ?? ""))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => pad(cell, widths[index] ?? 0, columns[index]?.align ?? "left"))
      .join("  ")
      .trimEnd();
  const header = columns.some(({ title }) => title) ? [line(columns.map(({ title }) => title))] : [];
  return [...header, ...rows.map(line)].join("\n");
}

const width = (text: string): number => Bun.stringWidth(text);

function pad(text: string, to: number, align: "left" | "right"): string {
  const space = " ".repeat(Math.max(0, to - width(text)));
  return align === "left" ? text + space : space + text;
}
