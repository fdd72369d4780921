/** One element: its attributes, computed styles and state. */
import type { Answer, TabScope } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import { numberOf } from "../../page-world/questions.ts";
import { quote } from "../../snapshot/line.ts";
import { isShown } from "../../targets/is-shown.ts";
import { parseTarget } from "../../targets/parse-target.ts";
import { resolveTarget } from "../../targets/resolve-target.ts";
import type { elementStates } from "../read.ts";
import { isChecked } from "../write/through-label.ts";

export async function attrs(input: { readonly target: string }, { tab }: TabScope): Promise<Answer> {
  const found = await resolveTarget(tab, input.target, { command: "attrs" });
  const [facts, described] = await Promise.all([
    askPage(found.frame, { ask: "facts", of: [numberOf(found.page)] }),
    found.locator.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const value = (element as HTMLInputElement).value;
      return {
        tag: element.localName,
        attributes: Object.fromEntries([...element.attributes].map((one) => [one.name, one.value])),
        box: { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) },
        ...(typeof value === "string" && { value }),
      };
    }),
  ]);
  const fact = facts.found[numberOf(found.page)];
  const isSecret = fact === undefined || fact.secret === true;
  const attributes = { ...described.attributes };
  if (isSecret && attributes.value !== undefined) attributes.value = "••••";
  const value = described.value === undefined ? undefined : isSecret ? described.value && "••••" : described.value;
  const { x, y, width, height } = described.box;
  const lines = [
    `${found.label} <${described.tag}> ${width}×${height} at ${x},${y}`,
    ...(fact?.marks ?? []).map((mark) => `[${mark}]`),
    ...Object.entries(attributes).map(([name, given]) => `${name}=${quote(given, 300)}`),
    ...(value === undefined ? [] : [`value ${quote(value, 300)}`]),
  ];
  const data = {
    ref: found.ref,
    ...described,
    attributes,
    ...(value !== undefined && { value }),
    marks: fact?.marks ?? [],
  };
  return { text: lines.join("\n"), data, fromPage: true };
}

const defaultProperties = [
  "display",
  "visibility",
  "opacity",
  "position",
  "z-index",
  "color",
  "background-color",
  "font-size",
  "font-weight",
  "width",
  "height",
  "margin",
  "padding",
  "border",
  "overflow",
  "cursor",
  "pointer-events",
];

export async function css(
  input: { readonly target: string; readonly properties?: readonly string[] | undefined },
  { tab }: TabScope,
): Promise<Answer> {
  const found = await resolveTarget(tab, input.target, { command: "css" });
  const wanted = input.properties && input.properties.length > 0 ? input.properties : defaultProperties;
  const styles = await found.locator.evaluate((element, names) => {
    const style = getComputedStyle(element);
    return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name)]));
  }, wanted);
  const text = Object.entries(styles).map(([name, value]) => `${name}: ${value || "(none)"}`);
  return { text: text.join("\n"), data: { ref: found.ref, styles }, fromPage: true };
}

type State = (typeof elementStates)[number];

export async function is(input: { readonly state: State; readonly target: string }, scope: TabScope): Promise<Answer> {
  const value = await holds(input.state, input.target, scope);
  return { text: String(value), data: { state: input.state, is: value } };
}

async function holds(state: State, word: string, { tab }: TabScope): Promise<boolean> {
  const target = parseTarget(word);
  // A missing element is not visible; the check must not wait for it or fail.
  if ((state === "visible" || state === "hidden") && target.kind !== "ref") {
    return (await isShown(tab, word)) === (state === "visible");
  }
  const found = await resolveTarget(tab, word);
  const { locator } = found;
  const options = { timeout: 2_000 };
  switch (state) {
    case "visible":
      return locator.isVisible();
    case "hidden":
      return locator.isHidden();
    case "enabled":
      return locator.isEnabled(options);
    case "disabled":
      return locator.isDisabled(options);
    case "checked":
      return await isChecked(found, options.timeout);
    case "unchecked":
      return !(await isChecked(found, options.timeout));
    case "editable":
      return locator.isEditable(options);
    case "focused":
      return locator.evaluate((element) => element === (element.getRootNode() as Document).activeElement);
  }
}
