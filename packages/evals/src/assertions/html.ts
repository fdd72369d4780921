/**
 * Recognises HTML.
 *
 * - `containsHtml(text)` whether a text contains what looks like HTML.
 * - `htmlFault(text)` why the whole text is not HTML: it is empty, it is XML, it has text outside of elements, or it has no
 *   element of HTML.
 */
const maxLength = 10 * 1024 * 1024;
const commonTag =
  /<(?:html|head|body|div|span|p|a|img|h[1-6]|ul|ol|li|table|tr|td|th|form|input|button|script|style|link|meta|br|hr)\b/i;
const signs: readonly (readonly [RegExp, number])[] = [
  [/<[a-zA-Z][a-zA-Z0-9-]*(?:\s[^>]*)?\/>/, 1],
  [/&(?:[a-zA-Z]+|#[0-9]+|#x[0-9a-fA-F]+);/, 1],
  [/<!DOCTYPE\s+html/i, 2],
  [/<!--[^-]*(?:-[^-]+)*-->/, 1],
  [/\s[a-zA-Z-]+=\s*["'][^"']*["']/, 1],
  [commonTag, 2],
];

export function containsHtml(text: string): boolean {
  if (text.length > maxLength) return false;
  const opens = /<[a-zA-Z][a-zA-Z0-9-]*(?:\s[^>]*)?>/.test(text);
  const closes = /<\/[a-zA-Z][a-zA-Z0-9-]*\s*>/.test(text);
  const pair = opens && closes ? 2 : opens || closes ? 1 : 0;
  return signs.reduce((sum, [sign, weight]) => sum + (sign.test(text) ? weight : 0), pair) >= 2;
}

const elements = new Set(
  [
    "html head title base link meta style body article section nav aside h1 h2 h3 h4 h5 h6 header footer address p hr pre",
    "blockquote ol ul li dl dt dd figure figcaption main div a em strong small s cite q dfn abbr ruby rt rp data time code",
    "var samp kbd sub sup i b u mark bdi bdo span br wbr img iframe embed object param picture source video audio track map",
    "area svg math script noscript canvas ins del table caption colgroup col tbody thead tfoot tr td th form label input",
    "button select datalist optgroup option textarea output progress meter fieldset legend details summary dialog menu slot",
    "template",
  ]
    .join(" ")
    .split(" "),
);
const voids = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const inHead = new Set("title base link meta style script noscript template".split(" "));
const raw = new Set(["script", "style", "title", "textarea"]);
/** Start tags that end an open paragraph. */
const blocks = new Set(
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul".split(
    " ",
  ),
);
/** Elements that a start tag of the same kind ends. */
const siblings: Readonly<Record<string, readonly string[]>> = {
  ...{ li: ["li"], dt: ["dt", "dd"], dd: ["dt", "dd"], option: ["option"], tr: ["tr", "td", "th"] },
  ...{
    td: ["td", "th"],
    th: ["td", "th"],
    tbody: ["tbody", "thead", "tr", "td", "th"],
    rt: ["rt", "rp"],
    rp: ["rt", "rp"],
  },
};
const inTable = new Set(["table", "tbody", "thead", "tfoot", "tr"]);

const tag = /<!--[\s\S]*?(?:-->|$)|<![^>]*>?|<\?[^>]*>?|<(\/?)([a-zA-Z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/g;

export function htmlFault(given: string): string | undefined {
  const text = given.trim();
  if (text === "") return "the output is empty";
  if (text.length > maxLength) return "the output is too long";
  if (/^<\?xml/i.test(text)) return "the output is XML, not HTML";
  const { hasOuterText, hasElement } = outlineOf(text);
  if (hasOuterText && !/<body(?=[\s>/])/i.test(text)) return "the output has text outside of HTML elements";
  return hasElement ? undefined : "the output has no HTML elements";
}

/** Whether there is text directly in the body, and an element of HTML or one with a name of its own. */
function outlineOf(text: string): { hasOuterText: boolean; hasElement: boolean } {
  const open: string[] = [];
  let [at, hasOuterText, hasElement] = [0, false, false];
  const isOuter = () => open.every((name) => ["html", "body"].includes(name)) || isFostered(open);
  const addText = (piece: string) => {
    if (piece.trim() !== "" && isOuter()) hasOuterText = true;
  };
  tag.lastIndex = 0;
  for (let found = tag.exec(text); found; found = tag.exec(text)) {
    addText(text.slice(at, found.index));
    at = tag.lastIndex;
    const name = found[2]?.toLowerCase();
    if (name === undefined) continue;
    if (found[1]) {
      closeTag(open, name);
      continue;
    }
    hasElement ||= elements.has(name) || name.includes("-");
    openTag(open, name);
    if (!raw.has(name)) continue;
    const end = new RegExp(`</${name}[\\s/>]`, "i").exec(text.slice(at));
    at = end ? at + end.index : text.length;
    tag.lastIndex = at;
  }
  addText(text.slice(at));
  return { hasOuterText, hasElement };
}

/** Text between the parts of a table is moved in front of it. */
function isFostered(open: readonly string[]): boolean {
  const last = open.at(-1) ?? "";
  if (!inTable.has(last)) return false;
  const table = open.lastIndexOf("table");
  return open.slice(0, table).every((name) => ["html", "body"].includes(name));
}

function openTag(open: string[], name: string): void {
  if (name === "head" || (open.at(-1) === "head" && !inHead.has(name))) closeTag(open, "head");
  if (blocks.has(name) && open.includes("p")) open.length = open.lastIndexOf("p");
  const ended = Object.hasOwn(siblings, name) ? (siblings[name] ?? []) : [];
  while (ended.includes(open.at(-1) ?? "")) open.pop();
  if (!voids.has(name) && !(["html", "body"].includes(name) && open.includes(name))) open.push(name);
}

function closeTag(open: string[], name: string): void {
  if (name === "body" || name === "html") return;
  const index = open.lastIndexOf(name);
  if (index !== -1) open.length = index;
}
