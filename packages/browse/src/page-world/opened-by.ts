/**
 * What opens by a field. Runs in the isolated world of every frame and is sent as text, like page-world.ts.
 *
 * - `opensList(element)` suggestions for what is typed, or a submenu.
 * - `opensCalendar(element)` it cannot be typed into, and seems to be for a date.
 */
export interface OpenedBy {
  opensList(element: Element): boolean;
  opensCalendar(element: Element): boolean;
}

export function openedBy(): OpenedBy {
  /** Libraries that suggest what to type leave these marks on their fields. */
  const suggesting =
    "[aria-autocomplete=list],[aria-autocomplete=both],[data-autocomplete],[class*=autocomplete i],[class*=typeahead i],.tt-input,.awesomplete>*";
  function opensList(element: Element): boolean {
    const isField = element.matches("input,textarea,[contenteditable]");
    if (isField && element.matches(suggesting)) return true;
    const list = ["aria-controls", "aria-owns"].map((name) => element.getAttribute(name)).find(Boolean);
    if (isField && list && document.getElementById(list)?.matches("[role=listbox]")) return true;
    const popup = element.closest("[aria-haspopup]:not([aria-haspopup=false],[aria-haspopup=dialog])");
    return popup !== null && popup.getAttribute("aria-expanded") !== "true";
  }
  function opensCalendar(element: Element): boolean {
    if (!(element instanceof HTMLInputElement) || element.readOnly === false) return false;
    if (element.matches("[aria-haspopup=dialog],[aria-haspopup=grid]")) return true;
    const [around, above] = [element.parentElement, element.parentElement?.parentElement];
    const marks = [element, around, above].map((one) => `${one?.getAttribute("class")} ${one?.id}`);
    // Not "update".
    return /(?:^|[^A-Za-z])date|Date|[Cc]alend/.test(
      [...marks, element.name, element.placeholder, element.getAttribute("aria-label")].join(" "),
    );
  }
  return { opensList, opensCalendar };
}
