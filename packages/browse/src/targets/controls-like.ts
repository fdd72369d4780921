/**
 * The controls of a page that may have taken the place of one that was recorded.
 *
 * - `controlsLike(tab, wanted)` those of its role with a similar name, each with its ref and what is around it.
 */
import type { Tab } from "../command.ts";
import { captureTree } from "../snapshot/capture-tree.ts";
import { closestTo } from "./candidates.ts";
import { labelledRef, withPlace } from "./suggest.ts";
import { surroundingsOf } from "./surroundings.ts";

export interface LikeControl {
  readonly ref: string;
  /** For messages: `@e3 button "Save" in "Initech"`. */
  readonly label: string;
  readonly role: string;
  readonly name: string;
  readonly after: string;
  readonly before: string;
}

const mostLike = 12;

export async function controlsLike(
  tab: Tab,
  wanted: { readonly role: string; readonly name: string },
): Promise<LikeControl[]> {
  const tree = await captureTree(tab).catch(() => undefined);
  if (!tree) return [];
  const near = closestTo(wanted, tree, mostLike).filter(({ role }) => role === wanted.role);
  return near.map((node) => {
    const { place, after, before } = surroundingsOf(tree, node);
    const { ref, label } = labelledRef(tab, node);
    return { ref, label: withPlace(label, place?.words), role: node.role, name: node.name, after, before };
  });
}
