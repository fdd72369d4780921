/** Splits a line as a shell would, at spaces outside quotes and backslash escapes. Nothing is expanded. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < line.length; index++) {
    const char = line[index] ?? "";
    if (quote === undefined && /\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === undefined && (char === "'" || char === '"')) {
      quote = char;
      word ??= "";
    } else if (char === quote) quote = undefined;
    else if (char === "\\" && quote !== "'" && index + 1 < line.length) word = (word ?? "") + line[++index];
    else word = (word ?? "") + char;
  }
  if (word !== undefined) words.push(word);
  return words;
}
