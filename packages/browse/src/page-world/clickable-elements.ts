/**
 * Which elements can be clicked although they have no role for it. Runs in the isolated world of every frame and is sent as
 * text, like page-world.ts.
 *
 * - `marked(roots)` those whose markup says so: summaries, click attributes, a place in the tab order, what can be dragged.
 * - `listening(nodes, handled)` those that listen for clicks, which only the browser knows; and those of which a framework
 *   says that they handle clicks, where it listens for them at its root.
 */
export interface ClickableParts {
  parentOf(element: Element): Element | null;
  /** What it shows, or what a picture in it is called. */
  wordsOf(element: Element): string;
  plain(text: string): string;
}

export interface ClickableElements {
  marked(roots: readonly ParentNode[]): Found[];
  listening(nodes: readonly Node[], handled: readonly Element[]): Found[];
}

interface Found {
  readonly element: Element;
  readonly name: string;
}

export function clickableElements({ parentOf, wordsOf, plain }: ClickableParts): ClickableElements {
  const roles =
    "button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch tab textbox treeitem";
  const native = `a[href],button,input,select,textarea,label,option,${roles.replace(/\w+/g, "[role=$&]").replaceAll(" ", ",")}`;
  const controls = `${native},[contenteditable]`;
  const fields = "input,select,textarea,[role=combobox],[role=textbox],[role=searchbox],[role=spinbutton]";
  /** A frame around a field repeats its label, for the eye only. */
  const left = `${controls},[aria-hidden=true]`;
  const markup =
    "summary,[onclick],[tabindex]:not([tabindex='-1']),[jsaction],[data-action],[data-href],[draggable=true]";
  // What has a role is listed by it.
  const known = `${controls},body,html,iframe,[role]`;
  // What a script focuses, such as an alert, has a negative tabindex.
  const hinted = "[onclick],[data-action],[data-href],[jsaction],[tabindex]:not([tabindex^='-'])";
  /** They listen for what is in them. */
  const regions = "aside,body,dialog,dl,fieldset,footer,form,header,html,main,menu,nav,ol,section,table,tbody,thead,ul";
  const items = new Set(["article", "details", "div", "figure", "li", "section", "tr"]);
  const mostFound = 500;
  const mostWords = 60;
  /** What tells a row of a table from the next one may stand in its last cell. */
  const mostWordsOfRow = 110;
  /** A card has a few; what has more listens for them. */
  const mostControls = 3;

  const mostWordsOf = (element: Element) => (element.matches("tr,[role=row]") ? mostWordsOfRow : mostWords);
  const hasPointerCursor = (element: Element | null) =>
    element !== null && getComputedStyle(element).cursor === "pointer";
  const looksClickable = (element: Element) =>
    element.closest(native) === null &&
    (element.matches(hinted) || (hasPointerCursor(element) && !hasPointerCursor(parentOf(element))));

  /** Guards at the ends of a dialog, which only get the focus, are not for the mouse: they have no size, or let it through. */
  function canBePressed(element: Element): boolean {
    const { display, pointerEvents, visibility } = getComputedStyle(element);
    if (pointerEvents === "none" || visibility !== "visible") return false;
    const { width, height } = display === "contents" ? boxOfContents(element) : element.getBoundingClientRect();
    // A line of a drawing has a length only.
    return element instanceof SVGElement ? Math.max(width, height) > 1 : Math.min(width, height) > 1;
  }
  function boxOfContents(element: Element): DOMRect {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
  }

  /** What it shows besides the controls and other such elements in it: a card is called as its heading. */
  function ownWords(element: Element, isOther: (one: Element) => boolean): string {
    const words: string[] = [];
    let length = 0;
    const most = mostWordsOf(element);
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
      if (!(node instanceof Element)) return NodeFilter.FILTER_ACCEPT;
      const isSkipped = isOther(node) || node.matches(left) || !node.checkVisibility();
      return isSkipped ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
    });
    for (let node = walker.nextNode(); node && length < most; node = walker.nextNode()) {
      const own = node instanceof Element ? (node.getAttribute("alt") ?? "") : (node.nodeValue ?? "");
      const text = plain(own);
      if (text === "") continue;
      words.push(text);
      length += text.length + 1;
    }
    const heading = words.length === 0 ? null : element.querySelector("h1,h2,h3,h4,h5,h6,[role=heading]");
    return (heading && wordsOf(heading)) || words.join(" ");
  }

  /** Those that a person would press, each with its name. */
  function named(candidates: Iterable<Element>, isMarked: boolean): Found[] {
    const found = new Set<Element>();
    for (const element of candidates) {
      if (found.size >= mostFound) break;
      if (canBePressed(element)) found.add(element);
    }
    const holders = new Set<Element>();
    for (const element of found) {
      for (let at = parentOf(element); at && !holders.has(at); at = parentOf(at)) holders.add(at);
    }
    return [...found].flatMap((element) => {
      const isHolder = holders.has(element) || element.querySelector(controls) !== null;
      const words = isHolder ? ownWords(element, (one) => found.has(one)) : wordsOf(element);
      // A wrapping of controls, and what lies behind a dialog.
      if (words === "" && (isHolder || coversWindow(element))) return [];
      if (isHolder && !isMarked && wrapsField(element)) return [];
      const title = words === "" ? (element.getAttribute("title") ?? "") : words;
      const most = mostWordsOf(element);
      return [{ element, name: title.length > most ? `${title.slice(0, most)}…` : title }];
    });
  }
  /** Its words are the label, the value or the unit of the field. */
  function wrapsField(element: Element): boolean {
    const [control, ...others] = element.querySelectorAll(controls);
    return others.length === 0 && control?.matches(fields) === true;
  }
  function coversWindow(element: Element): boolean {
    const { width, height } = element.getBoundingClientRect();
    return width >= innerWidth && height >= innerHeight;
  }

  /** What listens for a whole page, or for its list, means one of the elements in it. */
  function meant(node: Node, whole: number, roots: ReadonlySet<Element>, own: ReadonlySet<Element>): Element[] {
    const element = node instanceof Element ? node : document.documentElement;
    const inside = [...element.querySelectorAll("*")];
    const isPage = node === document || element.matches("html,body");
    if (isPage || inside.length > Math.max(20, whole / 3)) return inside.filter(looksClickable);
    if (own.has(element)) return [element];
    if (roots.has(element)) return [];
    let list: Element = element;
    while (list.children.length === 1 && list.matches(regions)) list = list.children[0]!;
    const children = [...list.children];
    const [first] = children;
    const isAlike = (one: Element) => one.localName === first?.localName && one.className === first.className;
    if (children.length > 1 && items.has(first!.localName) && children.every(isAlike)) return children;
    const likely = inside.filter(looksClickable);
    const isForOthers = element.matches(regions) || element.querySelectorAll(controls).length > mostControls;
    if (hasPointerCursor(element)) return [element];
    return likely.length > 0 || isForOthers ? likely : [element];
  }

  return {
    marked(roots) {
      const all = roots.flatMap((root) => [...root.querySelectorAll(markup)]);
      return named(
        all.filter((one) => !one.matches(known) && !one.parentElement?.closest("a[href],button,label")),
        true,
      );
    },
    listening(nodes, handled) {
      const own = new Set(handled);
      const roots = new Set<Element>();
      for (const element of handled) {
        for (let at = parentOf(element); at && !roots.has(at); at = parentOf(at)) roots.add(at);
      }
      const whole = document.querySelectorAll("*").length;
      const candidates = new Set(handled);
      for (const node of nodes) {
        // A frame's own code finds what is in it.
        if (node !== document && node.ownerDocument !== document) continue;
        for (const one of meant(node, whole, roots, own)) candidates.add(one);
      }
      return named(
        [...candidates].filter((one) => one.closest(native) === null),
        false,
      );
    },
  };
}
