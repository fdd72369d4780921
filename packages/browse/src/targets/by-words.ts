/**
 * Controls by the words that a person or a snapshot has for them.
 *
 * - `parseLine(word)` pure: a line of a snapshot, `button "Star" in "Initech"`, with its role or without; `label:Mail` any control
 *   of that name.
 * - `withPlaces(line)` pure: the same, and `Star in Initech` as a name and a place.
 * - `controlsNamed(tree, wanted)` pure: the controls of that name, role and place, without regard to case and to signs around it.
 */
import type { PageRef } from "../page-world/questions.ts";
import { isField, isFieldRole, isInteractive } from "../snapshot/interactive.ts";
import { isLabelAround } from "../snapshot/labels.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { placesOf } from "../snapshot/places.ts";
import { rowsOf } from "../snapshot/rows.ts";

export interface LineTarget {
  readonly role?: string | undefined;
  readonly name?: string | undefined;
  readonly place?: string | undefined;
  /** What the frame is called that it is in. */
  readonly frame?: string | undefined;
}

const quoted = String.raw`"((?:[^"\\]|\\.)*)"`;
const around = `(?: <[^>]*>)?(?: in ${quoted})?(?: in frame ${quoted})?$`;
const line = new RegExp(`^([a-z]+)(?: ${quoted})?${around}`);
const words = new RegExp(`^${quoted}${around}`);
const ofRole = new RegExp(`^([a-z]+):(?:${quoted}|([^"]+?))(?: in ${quoted})?(?: in frame ${quoted})?$`, "s");
const named = /^(?:alt|label|name|placeholder|title)[:=]\s*(.+)$/s;
/** What a snapshot calls that which has no role of its own. */
const noRoles = new Set(["clickable", "editable"]);

export function parseLine(word: string): LineTarget | undefined {
  const name = named.exec(word)?.[1];
  if (name) return { name: name.replace(/^"(.*)"$/s, "$1") };
  const [isWords, label, place, frame] = words.exec(word) ?? [];
  if (isWords !== undefined) return lineOf(undefined, label, place, frame);
  const [isRole, role, inQuotes, plainName, near, within] = ofRole.exec(word) ?? [];
  if (isRole !== undefined) {
    const isLine = near !== undefined || within !== undefined || noRoles.has(role!);
    return isLine ? lineOf(role, inQuotes ?? plainName, near, within) : undefined;
  }
  const [, ownRole, ownLabel, ownPlace, ownFrame] = line.exec(word) ?? [];
  if (ownLabel === undefined && ownPlace === undefined && ownFrame === undefined) return undefined;
  return lineOf(ownRole, ownLabel, ownPlace, ownFrame);
}

function lineOf(role?: string, name?: string, place?: string, frame?: string): LineTarget {
  const unescaped = (text: string | undefined) => text?.replace(/\\(.)/g, "$1");
  const all = { role, name: unescaped(name), place: unescaped(place), frame: unescaped(frame) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export function withPlaces(given: LineTarget): LineTarget[] {
  const [, name, place] = /^(.+) in "?([^"]+)"?$/s.exec(given.name ?? "") ?? [];
  return name === undefined || given.place !== undefined ? [given] : [given, { ...given, name, place }];
}

/** Controls without a role, which only the page itself knows. */
export interface Roleless {
  readonly editables: ReadonlySet<PageRef>;
  readonly clickables: ReadonlySet<PageRef>;
}

const noRoleless: Roleless = { editables: new Set(), clickables: new Set() };

export function controlsNamed(
  tree: PageTree,
  { role, name, place }: LineTarget,
  { editables, clickables }: Roleless = noRoleless,
): PageNode[] {
  const isControl = (node: PageNode) =>
    node.ref !== undefined && (isInteractive(node, editables) || clickables.has(node.ref));
  const roleOf = (node: PageNode) => {
    if (editables.has(node.ref!) && node.role !== "textbox") return "editable";
    return node.role === "generic" || !isInteractive(node, editables) ? "clickable" : node.role;
  };
  const controls = tree.nodes.filter((node) => isControl(node) && !isLabelAround(tree, node));
  const ofRole = controls.filter((node) => role === undefined || role === roleOf(node));
  const isNamed = (node: PageNode) => wordsOf(node).some((words) => plain(words) === plain(name ?? ""));
  const found = name === undefined ? ofRole : withoutWrappings(namedOrCut(ofRole, isNamed, name));
  if (found.length === 0 && name !== undefined && place === undefined) return besideWords(tree, ofRole, plain(name));
  const near = place === undefined ? found : inPlace(tree, controls, found, plain(place.replace(/…$/, "")));
  const same = near.filter((node) => wordsOf(node).includes(name ?? ""));
  return same.length === 1 ? same : near;
}

/** A long name is shown as its beginning. */
function namedOrCut(nodes: readonly PageNode[], isNamed: (node: PageNode) => boolean, name: string): PageNode[] {
  const found = nodes.filter(isNamed);
  const cut = /^(.+?)\s*…$/s.exec(name)?.[1];
  if (found.length > 0 || cut === undefined) return found;
  const beginning = spaced(cut);
  return nodes.filter((node) => wordsOf(node).some((words) => spaced(words).startsWith(beginning)));
}

const spaced = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim();

/** What is around a control and called like it is the same to a person. */
const withoutWrappings = (found: readonly PageNode[]): PageNode[] =>
  found.filter(
    ({ role, index, end }) => role !== "generic" || !found.some((one) => one.index > index && one.index < end),
  );

/** A field without a name is known by the words beside it. */
function besideWords(tree: PageTree, controls: readonly PageNode[], words: string): PageNode[] {
  const fields = controls.filter((node) => isField(node) && wordsOf(node).length === 0);
  const places = placesOf(tree, fields);
  return fields.filter((node) => plain(places.get(node) ?? "") === words);
}

function inPlace(tree: PageTree, controls: readonly PageNode[], found: readonly PageNode[], words: string): PageNode[] {
  const places = placesOf(tree, controls);
  const rows = rowsOf(tree);
  return found.filter((node) => {
    const row = rows.around(node);
    return [places.get(node), row && rows.wordsOf(row)].some((place) => plain(place ?? "").includes(words));
  });
}

/** A field is known by its placeholder, too; its text is what was typed. */
const wordsOf = ({ role, name, text, placeholder }: PageNode): string[] =>
  [name, placeholder, isFieldRole(role) ? undefined : text].filter(
    (words) => words !== undefined && words !== "",
  ) as string[];

/** Without the star of a required field, the colon of a label, the dots of a menu. */
export const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/^[^\p{L}\p{N}]+(?=.*[\p{L}\p{N}])|[^\p{L}\p{N})]+$/gu, "") || text;
