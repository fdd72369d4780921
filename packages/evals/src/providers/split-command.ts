/** - `splitCommand(text)` the words of a command line, with quotes as in a shell; nothing is expanded. */
export function splitCommand(text: string): string[] {
  const words: string[] = [];
  for (const [, double, single, bare] of text.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"']+)/g)) {
    words.push(double === undefined ? (single ?? bare ?? "") : double.replace(/\\(.)/g, "$1"));
  }
  return words;
}
