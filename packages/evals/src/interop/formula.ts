/**
 * Prefixes cells that a spreadsheet would run as a formula with an apostrophe, and removes it when reading our own files. Numbers
 * such as -0.5 stay as they are.
 */
const dangerous = /^'*[=+\-@\t\r\n＝＋－＠]/;

export function defused(cell: string): string {
  return dangerous.test(cell) && !/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(cell) ? `'${cell}` : cell;
}

export function undefused(cell: string): string {
  return cell.startsWith("'") && dangerous.test(cell) ? cell.slice(1) : cell;
}
