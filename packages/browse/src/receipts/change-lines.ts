/** Changes as lines with refs. Asks the page which of the fields in them are secret. */
import type { Tab } from "../command.ts";
import type { Fact } from "../page-world/questions.ts";
import { factsFor } from "../snapshot/capture-tree.ts";
import { isField } from "../snapshot/interactive.ts";
import type { PageNode } from "../snapshot/page-tree.ts";
import { refBookOf } from "../snapshot/ref-book.ts";
import type { Found } from "../targets/resolve-target.ts";
import { type Change, changeText } from "./describe-diff.ts";

/** Shown by their text, without a ref. */
const wordRoles = new Set(["generic", "paragraph", "text"]);

/** `known` is the element that was acted on, so that an ordinary `fill` needs no further round trip. */
export async function changeLines(tab: Tab, changes: readonly Change[], known?: Found): Promise<string[]> {
  const book = refBookOf(tab);
  const nodes = changes.map((change) => (change.kind === "changed" ? change.change.after : change.node.page));
  const knownFact = known?.readiness && {
    ref: known.page,
    fact: known.readiness.secret ? { secret: true as const } : {},
  };
  const { of: facts } = await factsFor(
    tab,
    nodes.filter((node) => isField(node) && node.ref !== knownFact?.ref),
  );
  const factOf = ({ ref }: PageNode): Fact | undefined =>
    ref === undefined ? undefined : ref === knownFact?.ref ? knownFact.fact : facts.get(ref);
  const refOf = (node: PageNode) =>
    node.ref === undefined || wordRoles.has(node.role) ? undefined : book.refFor(node.ref, node);
  return changes.map((change, at) => changeText(change, refOf, factOf(nodes[at]!)));
}
