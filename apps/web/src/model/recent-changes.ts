/**
 * The newest changes of a team's log, which can only be read forwards from a sequence number.
 *
 * "Is there anything after n" is true up to the head and false from it on, so the head is found by doubling and then halving:
 * one request for a short log, about twenty small ones for a million changes.
 */
import type { Change } from "@devflow/protocol";

export type ReadAfter = (afterSeq: number, maxRows: number) => Promise<readonly Change[]>;

export async function recentChanges(readAfter: ReadAfter, page: number): Promise<{ changes: Change[]; head: number }> {
  let low = 0;
  let rows = await readAfter(low, page);
  if (rows.length === page) {
    let step = page;
    let high = lastSeq(rows, low);
    // Doubling: `low` always has something after it.
    for (;;) {
      const probe = await readAfter(high, 1);
      if (probe.length === 0) break;
      low = high;
      high = lastSeq(probe, high) + step;
      step *= 2;
    }
    // Halving, until one page reaches from `low` to the head.
    while (high - low > page) {
      const middle = low + Math.floor((high - low) / 2);
      if ((await readAfter(middle, 1)).length > 0) low = middle;
      else high = middle;
    }
    // `high` may be the head exactly; a page before it shows the last ones, and whatever was written meanwhile follows.
    rows = await readToHead(readAfter, Math.max(0, high - page), page);
  }
  return { changes: [...rows], head: lastSeq(rows, low) };
}

async function readToHead(readAfter: ReadAfter, from: number, page: number): Promise<Change[]> {
  const rows: Change[] = [];
  let after = from;
  for (;;) {
    const more = await readAfter(after, page);
    rows.push(...more);
    if (more.length < page) return rows;
    after = lastSeq(more, after);
  }
}

function lastSeq(rows: readonly Change[], otherwise: number): number {
  return rows.at(-1)?.seq ?? otherwise;
}
