/**
 * What an element is, where its words do not say it. Runs in the isolated world of every frame and is sent as text, like
 * page-world.ts.
 *
 * - `describe(element)` `<div#cart.total> "12 €"`.
 * - `hintOf(element)` the same with its icon, and with what developers call it: `<button svg.lucide-trash> "remove-item"`.
 * - `iconHint(element)` `<i.fa-gear>`; empty where its class does not say which icon it is.
 * - `wordsOf(element)` what it shows, or else what a picture in it is called; `plain(text)` without what shows nothing.
 */
export interface Hints {
  describe(element: Element): string;
  hintOf(element: Element): string;
  iconHint(element: Element): string;
  wordsOf(element: Element): string;
  plain(text: string): string;
}

export function hintsOfPage(): Hints {
  /** Frameworks make some up, which are others the next time: `radix-:r1:`, `_r_0_`, `input-48213`. */
  const isMadeUp = (id: string): boolean => /^(radix|mui|headlessui|react-aria)|[:_«]r\w*[:_»]|\d{3}/.test(id);
  const iconClass =
    /(^|-)(anticon|bi|codicon|fa|feather|glyphicon|icon|lucide|material-symbols|mdi|octicon|pi|ri|tabler|ti)-/;
  const iconStyle =
    /^fa-(\d+x|[lsx]m|lg|x[ls]|2xs|fw|solid|regular|light|thin|brands|duotone|sharp|spin|pulse|inverse)$/;
  /** Classes that say how something looks, in the frameworks that have one for each look, and those that are made up. */
  const looks = [
    /[^\w-]|^-|^[a-z]{1,2}$|^[a-z]{1,2}-(\d|auto|px|full|screen|min|max|fit|none|center|start|end|xs|sm|md|lg|xl)/,
    /^(css|sc|jss|tss|emotion|chakra|svelte|astro|ng)-|^Mui[A-Z-]|[a-z]\d+[a-z]|\d{3}/,
    /^(absolute|block|border|clickable|container|cursor|fixed|flex|focus|font|gap|grid|group|hidden|hover|inline|inset|items)(-|$)/,
    /^(justify|leading|max|min|object|opacity|outline|overflow|peer|place|pointer|relative|ring|rounded|self|shadow|size)(-|$)/,
    /^(space|static|sticky|text|tracking|transition|truncate|uppercase|whitespace)(-|$)/,
    /^(ant-)?(btn|button|icon|icons)(-(block|circle|danger|default|ghost|icon|icon-only|large|link|outline|primary|round|secondary|small|text))*$/,
  ];
  const iconIn = (names: readonly string[]) => names.findLast((one) => iconClass.test(one) && !iconStyle.test(one));
  /** The class that says most; `<button class="btn p-2 close">` is a `close`. */
  function tellingClass(element: Element): string | undefined {
    const names = [...element.classList];
    const isReal = (name: string): boolean => !looks[1]!.test(name) && !/[^\w-]/.test(name);
    return (
      iconIn(names) ??
      names.find((name) => looks.every((look) => !look.test(name))) ??
      (element.matches("button,a,input") && element.firstElementChild ? undefined : names.find(isReal))
    );
  }

  /** Letters of icon fonts, and characters that show nothing. */
  const plain = (text: string): string => {
    const words = text
      .replace(/\p{Co}/gu, " ")
      .replace(/\s+/g, " ")
      .trim();
    return /[^\s\p{Cc}\p{Cf}]/u.test(words) ? words : "";
  };

  const cut = (words: string): string => (words.length > 40 ? `${words.slice(0, 40)}…` : words);

  const describe = (element: Element): string => {
    const id = element.id && !isMadeUp(element.id) ? `#${element.id}` : "";
    const telling = tellingClass(element);
    // The options of a select box are listed with it.
    const own = element.localName === "select" ? "" : (element as HTMLElement).innerText;
    const label = element.getAttribute("aria-label") ?? own ?? "";
    const text = cut(plain(label));
    return `<${element.localName}${id}${telling ? `.${telling}` : ""}>${text ? ` ${JSON.stringify(text)}` : ""}`;
  };

  /** What its picture is called: ` svg.lucide-trash`. */
  function iconOf(element: Element): string {
    for (const icon of element.querySelectorAll("[data-icon],svg,i,img,[class*=icon],[class*=fa-]")) {
      const source = icon.localName === "svg" ? icon.querySelector("use") : icon;
      const from = ["href", "xlink:href", "src"].map((name) => source?.getAttribute(name)).find(Boolean) ?? "";
      const file = from.startsWith("data:") ? "" : (from.split(/[#/]/).at(-1) ?? "").replace(/[.?].*$/, "");
      const own = icon.getAttribute("data-icon") ?? icon.getAttribute("data-testid") ?? file;
      const name = own || iconIn([...icon.classList]);
      if (name) return ` ${icon.localName}.${name.slice(0, 40)}`;
    }
    return "";
  }

  function pictureIn(element: Element): string {
    for (const picture of element.querySelectorAll("img[alt],svg,[role=img]")) {
      const own = picture.getAttribute("aria-label") ?? picture.getAttribute("alt");
      const words = plain(own ?? picture.querySelector("title")?.textContent ?? "");
      if (words !== "") return words;
    }
    return "";
  }

  const lists = "ol,select,ul,[role=grid],[role=listbox],[role=menu],[role=menubar],[role=tree]";

  return {
    describe,
    plain,
    hintOf(element) {
      const words = ["title", "data-testid", "data-test"].map((name) => element.getAttribute(name)).find(Boolean);
      // What is in a list has lines of its own.
      const own = element.matches(lists) ? describe(element).replace(/>.*/, ">") : describe(element);
      const hint = own.replace(/>/, `${element.matches(lists) ? "" : iconOf(element)}>`);
      return words ? `${hint} ${JSON.stringify(cut(words))}` : hint;
    },
    iconHint(element) {
      const name = iconIn([...element.classList]);
      return name ? `<${element.localName}.${name}>` : "";
    },
    wordsOf: (element) =>
      plain(element.getAttribute("aria-label") ?? (element as HTMLElement).innerText ?? "") || pictureIn(element),
  };
}
