/**
 * Which changes of a page are told as effects of an action.
 *
 * - `tellingChanges(changes, { isTick, isNewView, did })` pure. `isTick` says which ones happen by themselves; where another view has
 *   taken the place of the last one, that is gone as a whole; and a list closes when something in it is chosen.
 */
import type { NodeChange } from "../snapshot/diff.ts";
import type { Change } from "./describe-diff.ts";

export interface Circumstances {
  readonly isTick: (change: NodeChange) => boolean;
  readonly isNewView: boolean;
  /** `clicked @e3 option "Large"`. */
  readonly did: string;
}

export function tellingChanges(changes: readonly Change[], { isTick, isNewView, did }: Circumstances): Change[] {
  const own = changes.filter((change) => {
    if (change.kind === "changed") return !isTick(change.change);
    return change.kind !== "removed" || !isNewView;
  });
  const others = hasChosen(did)
    ? own.filter((change) => !(change.kind === "removed" && isChoice(change.node.role)))
    : own;
  return others.length > 0 ? others : own;
}

export const hasChosen = (did: string): boolean => /^[a-z-]+ @[ec]\d+ (menuitem|option)/.test(did);

/** Some libraries show their lists in a tooltip. */
const isChoice = (role: string): boolean => /^(listbox|menu|option|tooltip)/.test(role);
