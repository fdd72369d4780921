/** Links of the page. */
import type { Answer, TabScope } from "../../command.ts";
import { quote } from "../../snapshot/line.ts";

export async function links(input: { readonly last: number }, { tab }: TabScope): Promise<Answer> {
  const all = await tab.frame().evaluate(() => {
    const seen = new Map<string, string>();
    for (const link of document.querySelectorAll<HTMLAnchorElement>("a[href],area[href]")) {
      const name = (link.innerText || link.getAttribute("aria-label") || link.title || "").replace(/\s+/g, " ").trim();
      if (!seen.get(link.href)) seen.set(link.href, name);
    }
    return [...seen].map(([url, name]) => ({ name, url }));
  });
  const shown = all.slice(0, input.last);
  const lines = shown.map(({ name, url }) => `${quote(name, 80)} ${url}`);
  if (all.length > shown.length) lines.push(`… ${all.length - shown.length} more: links --last ${all.length}`);
  return { text: lines.join("\n") || "no links", data: { links: shown, total: all.length }, fromPage: true };
}
