/** Names of months in the languages of most pages. `isMonthName(words)` pure: long or short ones, as on a calendar's buttons. */
const languages = "cs da de en es fi fr hr hu it nl no pl pt ro ru sv tr uk zh ja".split(" ");

let known: ReadonlySet<string> | undefined;

export function isMonthName(words: string): boolean {
  known ??= new Set(languages.flatMap(namesIn));
  return known.has(plain(words));
}

const plain = (words: string): string => words.toLowerCase().replace(/\.$/, "");

function namesIn(language: string): string[] {
  const styles = (["long", "short"] as const).map((month) => new Intl.DateTimeFormat(language, { month }));
  // Some languages decline the name beside a day.
  return styles.flatMap((style) =>
    Array.from({ length: 12 }, (_, month) => plain(style.format(new Date(2027, month, 15)))),
  );
}
