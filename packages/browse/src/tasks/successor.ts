/**
 * Which control of a page took the place of one that is no longer there.
 *
 * - `successorOf(was, now)` pure: the only one that does the same, as far as words and surroundings tell; undefined when there
 *   is none or more than one. To press the wrong one is worse than to stop.
 */
export interface Control {
  readonly role: string;
  readonly name: string;
  /** The controls before and after it. */
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

export function successorOf<Candidate extends Control>(was: Control, now: readonly Candidate[]): Candidate | undefined {
  const ofRole = now.filter(({ role }) => role === was.role);
  const same = ofRole.filter(({ name }) => name === was.name || sameWords(name, was.name));
  const like = ofRole.filter((one) => hasSameMeaning(was.name, one.name) || isRenamedInPlace(was, one));
  const found = same.length > 0 ? same : like;
  return found.length === 1 ? found[0] : undefined;
}

function sameWords(one: string, other: string): boolean {
  const words = wordsOf(one);
  return words.length > 0 && words.join(" ") === wordsOf(other).join(" ");
}

/** Words that do not change what a button does. */
const small = new Set("a an as at for here in it my now of on our please the this to your".split(" "));
/** A name with one of them that the other does not have says something else, often the opposite. */
const turning = new Set(
  (
    "all and any but cancel clear close delete deny disable discard dismiss don dont doesn each every everything except " +
    "forget hide ignore later leave never no none not nothing off or quit reject remove reset revert skip stop undo " +
    "without aber kein keine nicht nie oder und ohne aucun et jamais ne non ou pas sans ni nunca sin y e não nao o sem"
  ).split(" "),
);

/** All words are still there, with at most one more that counts: "Save draft" and "Save draft now" or "Save my draft". */
function hasSameMeaning(was: string, is: string): boolean {
  const [old, present] = [wordsOf(was), wordsOf(is)];
  if (old.length === 0 || !hasSameTurns(old, present) || !old.every((word) => present.includes(word))) return false;
  return present.filter((word) => !old.includes(word) && !small.has(word)).length <= 1;
}

/** Between the same two controls, and begins with the same verb: "Sign up now" and "Sign up here". */
function isRenamedInPlace(was: Control, is: Control): boolean {
  const [old, present] = [wordsOf(was.name), wordsOf(is.name)];
  const isBetween = was.after !== undefined && was.after === is.after && was.before === is.before;
  return isBetween && old[0] !== undefined && old[0] === present[0] && hasSameTurns(old, present);
}

function hasSameTurns(old: readonly string[], present: readonly string[]): boolean {
  const turns = (words: readonly string[]) =>
    words
      .filter((word) => turning.has(word))
      .sort()
      .join(" ");
  return turns(old) === turns(present);
}

/** Without numbers: most of them count something, as in "Cart (3)", and pages of a list have neighbours that differ in no word. */
function wordsOf(name: string): string[] {
  const words = name.toLowerCase().match(/[&+]|[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => (/^[&+]$/.test(word) ? "and" : word)).filter((word) => !/^\p{N}+$/u.test(word));
}
