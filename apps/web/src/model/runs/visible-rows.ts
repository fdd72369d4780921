/**
 * Which rows of equal height must be rendered for the current scroll position, and the space of the others.
 *
 * - `visibleRows({ count, rowHeight, scrollTop, height })` → `{ first, last, before, after }`; `last` is exclusive.
 */
export interface VisibleRows {
  readonly first: number;
  readonly last: number;
  /** Height of the rows that are not rendered, in pixels. */
  readonly before: number;
  readonly after: number;
}

/** Up to this many rows all are rendered, so that the browser's search finds them. */
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
