/** `porterStem(word)` the stem of an English word in lower case, by Porter's algorithm of 1980. */
/** The number of times a vowel is followed by a consonant. */
function measure(stem: string): number {
  const kinds = shapeOf(stem).match(/v+|c+/g) ?? [];
  return kinds.filter((run, index) => run.startsWith("c") && index > 0).length;
}

/** `y` is a vowel after a consonant. */
function shapeOf(word: string): string {
  let shape = "";
  for (const [index, letter] of [...word].entries()) {
    const isVowel = "aeiou".includes(letter) || (letter === "y" && index > 0 && shape.endsWith("c"));
    shape += isVowel ? "v" : "c";
  }
  return shape;
}

const hasVowel = (stem: string): boolean => shapeOf(stem).includes("v");
const endsDouble = (stem: string): boolean => /([a-z])\1$/.test(stem) && shapeOf(stem).endsWith("c");
const endsShort = (stem: string): boolean => shapeOf(stem).endsWith("cvc") && !/[wxy]$/.test(stem);

type Rule = readonly [suffix: string, replacement: string];

const step2: readonly Rule[] = [
  ...(Object.entries({
    ational: "ate",
    tional: "tion",
    enci: "ence",
    anci: "ance",
    izer: "ize",
    abli: "able",
  }) as Rule[]),
  ...(Object.entries({
    alli: "al",
    entli: "ent",
    eli: "e",
    ousli: "ous",
    ization: "ize",
    ation: "ate",
    ator: "ate",
  }) as Rule[]),
  ...(Object.entries({
    alism: "al",
    iveness: "ive",
    fulness: "ful",
    ousness: "ous",
    aliti: "al",
    iviti: "ive",
  }) as Rule[]),
  ["biliti", "ble"],
];
const step3: readonly Rule[] = Object.entries({
  ...{ icate: "ic", ative: "", alize: "al", iciti: "ic", ical: "ic", ful: "", ness: "" },
});
const step4 = "ement ance ence able ible ment ant ent ion ism ate iti ous ive ize al er ic ou".split(" ");

function replaceFirst(word: string, rules: readonly Rule[], least: number): string {
  const rule = rules.filter(([suffix]) => word.endsWith(suffix)).toSorted(([a], [b]) => b.length - a.length)[0];
  if (!rule) return word;
  const stem = word.slice(0, -rule[0].length);
  return measure(stem) > least ? stem + rule[1] : word;
}

function pastAndGerund(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const stem = word.endsWith("ed") ? word.slice(0, -2) : word.endsWith("ing") ? word.slice(0, -3) : undefined;
  if (stem === undefined || !hasVowel(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsDouble(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

function longSuffix(word: string): string {
  const suffix = step4.find((one) => word.endsWith(one));
  if (suffix === undefined) return word;
  const stem = word.slice(0, -suffix.length);
  if (measure(stem) <= 1 || (suffix === "ion" && !/[st]$/.test(stem))) return word;
  return stem;
}

function finalLetters(word: string): string {
  const stem = word.slice(0, -1);
  const dropsE = word.endsWith("e") && (measure(stem) > 1 || (measure(stem) === 1 && !endsShort(stem)));
  const short = dropsE ? stem : word;
  return short.endsWith("ll") && measure(short) > 1 ? short.slice(0, -1) : short;
}

export function porterStem(given: string): string {
  if (given.length < 3) return given;
  let word = given;
  if (/(?:sses|ies)$/.test(word)) word = word.slice(0, -2);
  else if (/[^s]s$/.test(word)) word = word.slice(0, -1);
  word = pastAndGerund(word);
  if (word.endsWith("y") && hasVowel(word.slice(0, -1))) word = `${word.slice(0, -1)}i`;
  word = replaceFirst(word, step2, 0);
  word = replaceFirst(word, step3, 0);
  return finalLetters(longSuffix(word));
}
