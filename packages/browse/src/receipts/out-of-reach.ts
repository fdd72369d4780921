/**
 * Elements that stay on the page where a person can see them, and that no pointer reaches for a while, as under an open dialog. They
 * are read without their ref then. Neither that nor their return is an effect that an agent has to hear of.
 *
 * - `outOfReach(tab, before, after)` asks the page which of the elements that seem to be gone are still there, and remembers them;
 *   gives their refs, and those of elements that have come back.
 */
import type { Tab } from "../command.ts";
import { askPage } from "../page-world/ask-page.ts";
import { documentOf, numberOf, type PageRef } from "../page-world/questions.ts";
import { frameOf } from "../snapshot/capture-tree.ts";
import type { PageTree } from "../snapshot/page-tree.ts";

const awayKey = Symbol("browse out of reach");
/** A page that shows another view loses all its elements, and nobody reads that list. */
const mostAsked = 300;
const askMs = 1_000;

export async function outOfReach(tab: Tab, before: PageTree, after: PageTree): Promise<ReadonlySet<PageRef>> {
  if (before === after) return none;
  const away = tab.memory(awayKey, () => new Set<PageRef>());
  const there = refsOf(after);
  const gone = [...refsOf(before)].filter((ref) => !there.has(ref)).slice(0, mostAsked);
  const seen = await Promise.all([...Map.groupBy(gone, documentOf).values()].map((refs) => seenAmong(tab, refs)));
  const back = [...away].filter((ref) => there.has(ref));
  for (const ref of back) away.delete(ref);
  for (const ref of seen.flat()) away.add(ref);
  return new Set([...back, ...seen.flat()]);
}

const none: ReadonlySet<PageRef> = new Set();

const refsOf = ({ nodes }: PageTree): Set<PageRef> => new Set(nodes.flatMap(({ ref }) => ref ?? []));

async function seenAmong(tab: Tab, refs: readonly PageRef[]): Promise<readonly PageRef[]> {
  const frame = await frameOf(tab, refs[0]!);
  const question = { ask: "seen", of: refs.map(numberOf) } as const;
  const answer = await (frame && askPage(frame, question, { timeoutMs: askMs }).catch(() => undefined));
  const seen = new Set(answer);
  return refs.filter((ref) => seen.has(numberOf(ref)));
}
