/**
 * Keeps what a page announces: alerts, toasts and other live regions, from the moment they appear, since many are gone
 * before anyone looks. Runs in the isolated world of every frame and is sent as text, like page-world.ts.
 *
 * - `onMutations(records)` notes what was announced.
 * - `all()` the newest ones, oldest first.
 */
export interface News {
  onMutations(records: readonly MutationRecord[]): void;
  all(): readonly { readonly id: number; readonly role: string; readonly text: string; readonly gone: boolean }[];
}

export function newsOfPage(): News {
  const regions =
    "[role=alert],[role=alertdialog],[role=status],[role=log],[aria-live=polite],[aria-live=assertive],output";
  const mostKept = 20;
  const mostText = 200;
  let lastId = 0;
  const sameMs = 500;
  const kept: { id: number; role: string; text: string; region: Element; at: number }[] = [];
  const textOf = (region: Element): string =>
    ((region as HTMLElement).innerText ?? region.textContent ?? "").replace(/\s+/g, " ").trim().slice(0, mostText);

  function note(region: Element): void {
    const text = textOf(region);
    const role = region.getAttribute("role") ?? (region.getAttribute("aria-live") === "assertive" ? "alert" : "status");
    const at = performance.now();
    // A region inside another announces the same words twice.
    const isKnown = kept.some((one) => one.text === text && (one.region === region || at - one.at < sameMs));
    if (text === "" || isKnown) return;
    kept.push({ id: ++lastId, role, text, region, at });
    if (kept.length > mostKept) kept.shift();
  }

  return {
    onMutations(records) {
      const found = new Set<Element>();
      for (const { target, type, addedNodes } of records) {
        if (type === "attributes" && !(target as Element).matches(regions)) continue;
        const around = (target instanceof Element ? target : target.parentElement)?.closest(regions);
        if (around) found.add(around);
        for (const node of addedNodes) {
          if (!(node instanceof Element)) continue;
          if (node.matches(regions)) found.add(node);
          else if (node.firstElementChild) for (const inside of node.querySelectorAll(regions)) found.add(inside);
        }
      }
      for (const region of found) note(region);
    },
    all: () =>
      kept.map(({ id, role, text, region }) => ({
        id,
        role,
        text,
        gone: !region.isConnected || !region.checkVisibility() || textOf(region) !== text,
      })),
  };
}
