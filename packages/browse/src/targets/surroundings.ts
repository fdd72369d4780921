/**
 * What is around a control: by that it is told from others of its name, and known again when it was renamed.
 *
 * - `surroundingsOf(tree, node)` pure.
 */
import { isInteractive } from "../snapshot/interactive.ts";
import { isLabelAround } from "../snapshot/labels.ts";
import { quote } from "../snapshot/line.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { partsAround } from "../snapshot/parts-around.ts";
import { placesOf } from "../snapshot/places.ts";
import { controlsNamed } from "./by-words.ts";

export interface Surroundings {
  /** The row, item or card by whose words it is told from others; for an option the list that it is in. */
  readonly place?: { readonly role: string; readonly words: string };
  /** The control before it, and the one after it: `button "Cancel"`, or `nothing`. */
  readonly after: string;
  readonly before: string;
}

const noEditables: ReadonlySet<string> = new Set();
const lists: Readonly<Record<string, readonly string[]>> = {
  option: ["listbox", "combobox", "group"],
  radio: ["radiogroup", "group"],
};

export function surroundingsOf(tree: PageTree, node: PageNode): Surroundings {
  const controls = tree.nodes.filter((one) => isInteractive(one, noEditables) && !isLabelAround(tree, one));
  const at = controls.indexOf(node);
  const labelled = (one: PageNode | undefined) =>
    one ? `${one.role} ${quote(one.name || (one.text ?? ""), 80)}` : "nothing";
  const place = lists[node.role] ? listOf(tree, node) : rowOf(tree, node);
  return {
    ...(place && { place }),
    after: labelled(at > 0 ? controls[at - 1] : undefined),
    before: labelled(at >= 0 ? controls[at + 1] : undefined),
  };
}

function listOf(tree: PageTree, node: PageNode): Surroundings["place"] {
  const roles = lists[node.role] ?? [];
  for (let at = node.parent; at >= 0; at = tree.nodes[at]!.parent) {
    const { role, name } = tree.nodes[at]!;
    if (roles.includes(role)) return { role, words: name };
  }
  return undefined;
}

/** Its title rather than all its words, of which some change, such as a price; and only words by which it is found again. */
function rowOf(tree: PageTree, node: PageNode): Surroundings["place"] {
  const { role, name } = node;
  const namesakes = tree.nodes.filter((one) => one.role === role && one.name === name);
  const place = placesOf(tree, namesakes).get(node);
  if (place === undefined || name === "" || namesakes.length < 2) return undefined;
  const { role: around, words } = partsAround(tree, node, namesakes);
  const isEnough = (own: string) => {
    const found = controlsNamed(tree, { role, name, place: own });
    return found.length === 1 && found[0] === node;
  };
  const own = [...words, place].find(isEnough);
  return own === undefined ? undefined : { role: around, words: own };
}
