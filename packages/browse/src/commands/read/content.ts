/** The text and the markup of a page or an element. */

import type { Locator } from "playwright-core";
import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { resolveTarget } from "../../targets/resolve-target.ts";
import type { textRecord } from "../read.ts";
import { boundedText } from "./bounded.ts";

type ContentInput = BrowseInput<typeof textRecord>;

export async function text(input: ContentInput, scope: TabScope): Promise<Answer> {
  const place = await placeOf(input, scope, "body");
  const words = (await place.innerText({ timeout: 10_000 }))
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return answer(words, input.max, "text");
}

export async function markup(input: ContentInput, scope: TabScope): Promise<Answer> {
  const place = await placeOf(input, scope, "html");
  // Values of secret fields are hidden, even when the server put them into the markup.
  const source = await place.evaluate((element) => {
    const copy = element.cloneNode(true) as Element;
    const secret = "input[type=password],[autocomplete*=password],[autocomplete*=cc-],[autocomplete=one-time-code]";
    for (const field of [copy, ...copy.querySelectorAll(secret)]) {
      if (field.matches(secret) && field.hasAttribute("value")) field.setAttribute("value", "••••");
    }
    return copy.outerHTML;
  });
  return answer(source, input.max, "html");
}

async function placeOf(input: ContentInput, scope: TabScope, whole: string): Promise<Locator> {
  if (input.target === undefined) return scope.tab.frame().locator(whole).first();
  return (await resolveTarget(scope.tab, input.target)).locator;
}

function answer(content: string, max: number, key: "text" | "html"): Answer {
  const shown = boundedText(content, max);
  return {
    text: shown || "(empty)",
    data: { [key]: content.slice(0, max), truncated: content.length > max },
    fromPage: true,
  };
}
