/**
 * Finds URLs in text: Markdown links, autolinks, HTML `href`s and bare URLs, each counted once.
 *
 * - `findUrls(text)` in order, with repeats, without images.
 * - `urlKey(url)` for comparison: lower-case host, without `www.`, fragment, `utm_*` and a trailing slash.
 */
// Every character class excludes the opening character, so that a failed match ends at the next opening.
const imageMarkup =
  /!\[[^[\]\n]{0,2000}\]\([^()\n]{0,4000}\)|<(?:img|video|audio|source|iframe|embed)\b[^<>]{0,4000}>/giu;
const address = /https?:\/\/[^\s<>"`\\^{}|\p{Cc}]+/giu;

export interface LocatedUrl {
  readonly url: string;
  readonly at: number;
}

export function findUrls(text: string): string[] {
  return locateUrls(text).map(({ url }) => url);
}

export function locateUrls(text: string): LocatedUrl[] {
  const found: LocatedUrl[] = [];
  const searched = text.replaceAll(imageMarkup, (markup) => " ".repeat(markup.length));
  for (const { 0: match, index } of searched.matchAll(address)) {
    // `[https://a.example](https://a.example)` is one link whose text is its own URL.
    for (const { url, at } of cut(match, index)) {
      const shownAt = at - 2 - url.length;
      const isShown = found.at(-1)?.at === shownAt && found.at(-1)?.url === url && searched.charAt(shownAt - 1) === "[";
      if (!isShown) found.push({ url, at });
    }
  }
  return found;
}

function cut(run: string, offset: number): LocatedUrl[] {
  const url = trimmed(run);
  const here = url.length > "https://".length ? [{ url, at: offset }] : [];
  const next = run.slice(url.length).search(/https?:\/\//iu);
  return next < 0 ? here : [...here, { url: trimmed(run.slice(url.length + next)), at: offset + url.length + next }];
}

/** Ends at the first unmatched closing bracket, and before trailing punctuation. */
function trimmed(run: string): string {
  let end = firstUnopened(run);
  while (end > 0 && ".,;:!?'*_~…".includes(run.charAt(end - 1))) end -= 1;
  return run.slice(0, end);
}

function firstUnopened(run: string): number {
  let [round, square] = [0, 0];
  for (let at = 0; at < run.length; at += 1) {
    const character = run.charAt(at);
    if (character === "(") round += 1;
    else if (character === "[") square += 1;
    else if (character === ")" && --round < 0) return at;
    else if (character === "]" && --square < 0) return at;
  }
  return run.length;
}

export function urlKey(url: string): string {
  let parsed: URL;
  try {
    parsed = new URL(url.trim());
  } catch {
    return url.trim().replace(/\/$/, "");
  }
  const query = [...parsed.searchParams].filter(([name]) => !/^utm_/i.test(name));
  const search = query.length > 0 ? `?${new URLSearchParams(query)}` : "";
  const path = parsed.pathname.replace(/\/+$/, "");
  const scheme = parsed.protocol === "http:" || parsed.protocol === "https:" ? "" : parsed.protocol;
  return `${scheme}//${parsed.host.replace(/^www\./, "")}${path}${search}`;
}

export function hostOf(url: string): string | undefined {
  try {
    return new URL(url).hostname.replace(/^www\./, "");
  } catch {
    return undefined;
  }
}

const tweetAddress = /^\/\/(?:mobile\.)?(?:x|twitter)\.com\/[^/]+\/status\/\d+/;
export function isTweet(url: string): boolean {
  return tweetAddress.test(urlKey(url));
}
