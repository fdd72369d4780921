/** Small pieces of Markdown that the generated pages are made of. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(titles), `|${titles.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** `npm run generate` is named, so that whoever opens the file knows where to change it. */
export function generatedFrom(source: string): string {
  return `<!-- Made from ${source} by \`npm run generate\`. Change it there. -->`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ").replaceAll("<", "&lt;");
}
