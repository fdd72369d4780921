/**
 * Keeps what a page announces: alerts, toasts and other live regions, from the moment they appear, since many are gone
 * before anyone looks. Runs in the isolated world of every frame and is sent as text, like page-world.ts.
 *
 * - `begin(root, isNew)` with a document or shadow root: what its regions say already is news only if the root is new.
 * - `onMutations(records)` notes what was announced. The same words are announced again when they were gone in between.
 * - `all()` the newest ones, oldest first.
 */
export interface News {
  begin(root: ParentNode, isNew: boolean): void;
  onMutations(records: readonly MutationRecord[]): void;
  all(): readonly { readonly id: number; readonly role: string; readonly text: string; readonly gone: boolean }[];
}

export function newsOfPage(): News {
  const regions =
    "[role=alert],[role=alertdialog],[role=status],[role=log],[aria-live=polite],[aria-live=assertive],output";
  /** Their whole text is read again when a part of it changes; of others only what was added. */
  const whole = "[role=alert],[role=alertdialog],[role=status],output,[aria-atomic=true]";
  const mostKept = 20;
  const mostText = 200;
  /** Many pages write the same words into a second region, which only screen readers see. */
  const sameMs = 500;
  /** Frameworks replace a region by an equal one within that time. */
  const atOnceMs = 20;
  interface Said {
    id: number;
    role: string;
    text: string;
    region: Element;
    at: number;
    goneAt?: number;
  }
  // So that an announcement of another document has another number.
  let lastId = Math.floor(Math.random() * 2 ** 40);
  const kept: Said[] = [];
  /** What each region says, line by line. */
  const lines = new WeakMap<Element, readonly string[]>();
  let hasSlots = false;

  /** What a slot shows stands elsewhere in the document. */
  function regionAround(node: Node): Element | null {
    const around = (node instanceof Element ? node : node.parentElement)?.closest(regions) ?? null;
    if (around || !hasSlots) return around;
    for (let at: Node | null = node; at; at = at.parentNode) {
      const slot = (at as Element).assignedSlot;
      if (slot) return regionAround(slot);
    }
    return null;
  }
  const wordsOf = (region: Element): string => {
    const own = (region as HTMLElement).innerText ?? region.textContent ?? "";
    if (!(region.getRootNode() instanceof ShadowRoot)) return own;
    const given = [...region.querySelectorAll("slot")].flatMap((slot) => slot.assignedNodes({ flatten: true }));
    return [own, ...given.map((node) => (node as HTMLElement).innerText ?? node.textContent ?? "")].join("\n");
  };
  const linesOf = (region: Element): readonly string[] => {
    if (!region.isConnected || !region.checkVisibility()) return [];
    const all = wordsOf(region).split("\n");
    return all.map((line) => line.replace(/\s+/g, " ").trim()).filter((line) => line !== "");
  };
  /** Without those that were there before, each as often as it was. */
  const addedTo = (before: readonly string[], now: readonly string[]): readonly string[] => {
    const left = [...before];
    return now.filter((line) => {
      const at = left.indexOf(line);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  };

  function note(region: Element, now: number): void {
    const before = lines.get(region) ?? [];
    const after = linesOf(region);
    lines.set(region, after);
    const added = addedTo(before, after);
    const removed = addedTo(after, before);
    for (const one of kept) {
      if (one.region === region && removed.length > 0 && !after.join(" ").includes(one.text)) one.goneAt ??= now;
    }
    const text = (region.matches(whole) ? after : added).join(" ").slice(0, mostText);
    if (added.length === 0 || text === "") return;
    const isKnown = kept.some((one) => {
      if (one.text !== text) return false;
      if (one.goneAt !== undefined) return now - one.goneAt < atOnceMs;
      // A region inside another announces the same words twice.
      return one.region !== region && now - one.at < sameMs;
    });
    if (isKnown) return;
    // What is still being written is one announcement.
    const earlier = kept.findLastIndex((one) => one.region === region && text.startsWith(one.text));
    if (earlier >= 0 && kept[earlier]!.text !== text) kept.splice(earlier, 1);
    const role = region.getAttribute("role") ?? (region.getAttribute("aria-live") === "assertive" ? "alert" : "status");
    kept.push({ id: ++lastId, role, text, region, at: now });
    if (kept.length > mostKept) kept.shift();
  }

  return {
    begin(root, isNew) {
      hasSlots ||= root.querySelector("slot") !== null;
      const now = performance.now();
      for (const region of root.querySelectorAll(regions)) {
        if (isNew) note(region, now);
        else lines.set(region, linesOf(region));
      }
    },
    onMutations(records) {
      const found = new Set<Element>();
      for (const { target, type, addedNodes } of records) {
        if (type === "attributes" && !(target as Element).matches(regions)) continue;
        const around = regionAround(target);
        if (around) found.add(around);
        for (const node of addedNodes) {
          const slotted = hasSlots && !around ? regionAround(node) : null;
          if (slotted) found.add(slotted);
          if (!(node instanceof Element)) continue;
          if (node.matches(regions)) found.add(node);
          else if (node.firstElementChild) for (const inside of node.querySelectorAll(regions)) found.add(inside);
        }
      }
      const now = performance.now();
      for (const one of kept) if (!one.region.isConnected) one.goneAt ??= now;
      for (const region of found) note(region, now);
    },
    all: () =>
      kept.map(({ id, role, text, region, goneAt }) => ({
        id,
        role,
        text,
        gone: goneAt !== undefined || !region.isConnected || !region.checkVisibility(),
      })),
  };
}
