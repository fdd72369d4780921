/**
 * Which rows of equal height have to exist for what is scrolled into view, and how much room the others take.
 *
 * - `visibleRows({ count, rowHeight, scrollTop, height })` → `{ first, last, before, after }`; `last` is behind the last row.
 */
export interface VisibleRows {
  readonly first: number;
  readonly last: number;
  /** Pixels in place of the rows that do not exist. */
  readonly before: number;
  readonly after: number;
}

/** Below this many rows all exist: the browser's own search finds them, and nothing is worth hiding. */
export const windowFrom = 200;
const beyond = 20;

export function visibleRows(view: {
  count: number;
  rowHeight: number;
  scrollTop: number;
  height: number;
}): VisibleRows {
  const { count, rowHeight } = view;
  if (count <= windowFrom) return { first: 0, last: count, before: 0, after: 0 };
  const top = Math.floor(Math.max(0, view.scrollTop) / rowHeight);
  const shown = Math.ceil(view.height / rowHeight) + 1;
  const first = Math.max(0, Math.min(count - shown, top) - beyond);
  const last = Math.min(count, Math.max(first, top) + shown + beyond);
  return { first, last, before: first * rowHeight, after: (count - last) * rowHeight };
}
