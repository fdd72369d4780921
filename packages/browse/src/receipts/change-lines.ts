/** Changes as lines with refs; asks the page which of the fields in them are secret. */
import type { Tab } from "../command.ts";
import { isField } from "../snapshot/interactive.ts";
import { factsFor } from "../snapshot/look.ts";
import type { PageNode } from "../snapshot/page-tree.ts";
import { refBookOf } from "../snapshot/ref-book.ts";
import { type Change, changeText } from "./describe-diff.ts";

/** Told by their words alone. */
const wordRoles = new Set(["generic", "paragraph", "text"]);

export async function changeLines(tab: Tab, changes: readonly Change[]): Promise<string[]> {
  const book = refBookOf(tab);
  const nodes = changes.map((change) => (change.kind === "changed" ? change.change.after : change.node.page));
  const facts = await factsFor(tab, nodes.filter(isField));
  const refOf = (node: PageNode) =>
    node.ref === undefined || wordRoles.has(node.role) ? undefined : book.refFor(node.ref, node);
  return changes.map((change, at) => changeText(change, refOf, facts.get(nodes[at]!.ref ?? "")));
}
