/** `matchesName(name, pattern)` whether a name matches a pattern with `*` and `?`, without regard to case. In linear time. */
export function matchesName(name: string, pattern: string): boolean {
  const [text, wanted] = [name.toLowerCase(), pattern.toLowerCase()];
  let [at, from, star, resume] = [0, 0, -1, 0];
  while (at < text.length) {
    if (wanted[from] === "*") {
      [star, resume] = [from, at];
      from += 1;
    } else if (wanted[from] === text[at] || (wanted[from] === "?" && text[at] !== "\n")) {
      at += 1;
      from += 1;
    } else if (star !== -1) {
      resume += 1;
      [at, from] = [resume, star + 1];
    } else return false;
  }
  while (wanted[from] === "*") from += 1;
  return from === wanted.length;
}
