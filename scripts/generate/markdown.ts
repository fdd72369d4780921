/** Markdown snippets for the generated pages. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(titles), `|${titles.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** Tells readers of a generated file where to edit instead. */
export function generatedFrom(source: string): string {
  return `<!-- Generated from ${source} by \`npm run generate\`. Edit it there. -->`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ").replaceAll("<", "&lt;");
}
