/** The text and the markup of a page or an element. */

import type { Locator } from "playwright-core";
import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { tabVersion } from "../../receipts/wait-for-effect.ts";
import { newsLines } from "../../snapshot/news-lines.ts";
import { resolveTarget } from "../../targets/resolve-target.ts";
import type { textRecord } from "../read.ts";
import { boundedText } from "./bounded.ts";
import { plainText, textInFrame, textsOfFrames } from "./frame-text.ts";

type ContentInput = BrowseInput<typeof textRecord>;

export async function text(input: ContentInput, scope: TabScope): Promise<Answer> {
  if (input.target === undefined) {
    const frame = scope.tab.frame();
    const texts = [await textOf(frame.locator("body").first()), ...(await textsOfFrames(frame))];
    const answered = textAnswer(texts, input);
    await tabVersion(scope.tab);
    const news = newsLines(scope.tab, answered.text);
    const data = { ...(answered.data as object), ...(news.length > 0 && { news }) };
    return { ...answered, data, text: [...news.map((line) => `meanwhile: ${line}`), answered.text].join("\n") };
  }
  const { locator, frame } = await resolveTarget(scope.tab, input.target, { part: true, command: "text" });
  const element = await locator.elementHandle({ timeout: elementMs });
  const inner = await element?.contentFrame();
  if (inner) return textAnswer(await textInFrame(inner), input);
  const inFrames = frame.childFrames().length > 0 && element ? await textsOfFrames(frame, element) : [];
  return textAnswer([await textOf(locator), ...inFrames], input);
}

const elementMs = 10_000;

const textOf = async (place: Locator): Promise<string> => plainText(await place.innerText({ timeout: elementMs }));

const textAnswer = (texts: readonly string[], { max }: ContentInput): Answer =>
  answer(texts.filter(Boolean).join("\n\n"), max, "text");

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
  return (await resolveTarget(scope.tab, input.target, { part: true, command: "html" })).locator;
}

function answer(content: string, max: number, key: "text" | "html"): Answer {
  const shown = boundedText(content, max);
  return {
    text: shown || "(empty)",
    data: { [key]: content.slice(0, max), truncated: content.length > max },
    fromPage: true,
  };
}
