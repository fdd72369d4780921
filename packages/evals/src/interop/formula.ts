/**
 * Cells that a spreadsheet would run as a formula get an apostrophe in front; reading our own files takes it away again.
 * A number stays a number: -0.5 is no formula.
 */
const dangerous = /^'*[=+\-@\t\r\n＝＋－＠]/;

export function defused(cell: string): string {
  return dangerous.test(cell) && !/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(cell) ? `'${cell}` : cell;
}

export function undefused(cell: string): string {
  return cell.startsWith("'") && dangerous.test(cell) ? cell.slice(1) : cell;
}
