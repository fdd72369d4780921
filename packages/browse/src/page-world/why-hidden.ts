/**
 * Why an element cannot be seen. Runs in the isolated world of every frame and is sent as text, like page-world.ts.
 *
 * - `whyHidden(parts)` gives `why(element)`: the nearest part around it that is closed, and the control that opens this part.
 */
import type { Hidden, PageRef } from "./questions.ts";

export interface HiddenParts {
  refOf(element: Element): PageRef;
  parentOf(element: Element): Element | null;
  wordsOf(element: Element): string;
}

export function whyHidden({ refOf, parentOf, wordsOf }: HiddenParts): (element: Element) => Hidden {
  const isSeen = (element: Element | null | undefined): element is Element => {
    const { width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
    return !!element?.checkVisibility({ visibilityProperty: true }) && width > 0 && height > 0;
  };
  const native: Readonly<Record<string, string>> = { a: "link", button: "button", summary: "summary" };
  const roleOf = (element: Element): string => element.getAttribute("role") ?? native[element.localName] ?? "element";
  const openers =
    "button,summary,a,[role=button],[role=tab],[role=link],[role=menuitem],[role=treeitem],[aria-expanded]";

  /** What says that it controls this part, or gives it its name. */
  function openerOf(part: Element): Element | undefined {
    if (part instanceof HTMLDetailsElement && !part.open) {
      const summary = [...part.children].find((child) => child.localName === "summary");
      if (isSeen(summary)) return summary;
    }
    const root = part.getRootNode() as Document | ShadowRoot;
    const controllers = part.id === "" ? [] : root.querySelectorAll(`[aria-controls~="${CSS.escape(part.id)}"]`);
    const labels = (part.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
    const named = labels.map((id) => root.querySelector(`#${CSS.escape(id)}`)?.closest(openers));
    return [...controllers, ...named].find(isSeen) ?? undefined;
  }

  return (element) => {
    const isGone = !element.checkVisibility();
    for (let at: Element | null = element; at; at = parentOf(at)) {
      // What is around the closed part can be seen.
      if (at !== element && isSeen(at) && !(at instanceof HTMLDetailsElement && !at.open)) break;
      const opener = openerOf(at);
      if (opener) return { isGone, opener: { ref: refOf(opener), role: roleOf(opener), name: wordsOf(opener) } };
    }
    return { isGone };
  };
}
