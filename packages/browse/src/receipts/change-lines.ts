/** Changes as lines with refs; asks the page which of the fields in them are secret. */
import type { Tab } from "../command.ts";
import type { Fact } from "../page-world/questions.ts";
import { isField } from "../snapshot/interactive.ts";
import { factsFor } from "../snapshot/look.ts";
import type { PageNode } from "../snapshot/page-tree.ts";
import { refBookOf } from "../snapshot/ref-book.ts";
import type { Found } from "../targets/resolve-target.ts";
import { type Change, changeText } from "./describe-diff.ts";

/** Told by their words alone. */
const wordRoles = new Set(["generic", "paragraph", "text"]);

/** `known` is the element that was acted on, so that an ordinary `fill` needs no further question. */
export async function changeLines(tab: Tab, changes: readonly Change[], known?: Found): Promise<string[]> {
  const book = refBookOf(tab);
  const nodes = changes.map((change) => (change.kind === "changed" ? change.change.after : change.node.page));
  const told = known?.reach && { ref: known.page, fact: known.reach.secret ? { secret: true as const } : {} };
  const facts = await factsFor(
    tab,
    nodes.filter((node) => isField(node) && node.ref !== told?.ref),
  );
  const factOf = ({ ref }: PageNode): Fact | undefined =>
    ref === undefined ? undefined : ref === told?.ref ? told.fact : facts.get(ref);
  const refOf = (node: PageNode) =>
    node.ref === undefined || wordRoles.has(node.role) ? undefined : book.refFor(node.ref, node);
  return changes.map((change, at) => changeText(change, refOf, factOf(nodes[at]!)));
}
