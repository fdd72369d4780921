/** Changes as lines with refs. Asks the page which of the fields in them are secret, and what has no words. */
import type { Tab } from "../command.ts";
import type { Fact, PageRef } from "../page-world/questions.ts";
import { factsFor, isWordless } from "../snapshot/capture-tree.ts";
import { isField, isInteractive } from "../snapshot/interactive.ts";
import type { PageNode } from "../snapshot/page-tree.ts";
import { type RefBook, refBookOf } from "../snapshot/ref-book.ts";
import { tellApart } from "../snapshot/tell-apart.ts";
import { monthText } from "./calendars.ts";
import { changeText } from "./change-text.ts";
import type { Change } from "./describe-diff.ts";
import { isScope } from "./telling-lines.ts";

const noEditables: ReadonlySet<string> = new Set();

/** The element that was acted on, and whether its value is secret, if that is known. */
export interface ActedOn {
  readonly page: PageRef;
  readonly readiness?: { readonly secret?: boolean; readonly opens?: boolean };
}

/** `known` is the element that was acted on, so that an ordinary `fill` needs no further round trip. */
export async function changeLines(tab: Tab, changes: readonly Change[], known?: ActedOn): Promise<string[]> {
  const book = refBookOf(tab);
  const nodes = changes.map((change) => (change.kind === "changed" ? change.change.after : change.node.page));
  const there = nodes.filter((_, at) => changes[at]!.kind !== "removed");
  const knownFact = known?.readiness && {
    ref: known.page,
    fact: known.readiness.secret ? { secret: true as const } : {},
  };
  const { of } = await factsFor(
    tab,
    there.filter((node) => (isField(node) || (isWordless(node) && !isScope(node))) && node.ref !== knownFact?.ref),
  );
  const facts = tellApart(
    changes.flatMap((change) => (change.kind === "added" ? [change.node] : [])),
    of,
  );
  const factOf = ({ ref }: PageNode): Fact | undefined =>
    ref === undefined ? undefined : ref === knownFact?.ref ? knownFact.fact : facts.get(ref);
  return changes.map((change, at) =>
    change.month
      ? `${change.kind === "changed" ? "~" : `+${"  ".repeat(change.depth)}`} ${monthText(change.month, dayIn(book))}`
      : changeText(change, refOf(book, change), factOf(nodes[at]!)),
  );
}

const dayIn = (book: RefBook) => (day: PageNode) =>
  day.ref && book.refFor(day.ref, { role: day.role, name: day.name || (day.text ?? "") });

/** What an agent can act on or look into has a ref; what is gone needs none. */
function refOf(book: RefBook, change: Change): string | undefined {
  if (change.kind === "changed") {
    const { after } = change.change;
    const hasRef = after.role !== "generic" && (isInteractive(after, noEditables) || isScope(after));
    return after.ref !== undefined && hasRef ? book.refFor(after.ref, after) : undefined;
  }
  const { role, interactive, page } = change.node;
  if (change.kind === "removed" || page.ref === undefined || !(interactive || isScope(page))) return undefined;
  const kind = role === "clickable" && !page.hasPointerCursor ? "c" : "e";
  return book.refFor(page.ref, { role, name: page.name || (page.text ?? "") }, kind);
}
