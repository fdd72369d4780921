/**
 * One recorded command as Playwright code.
 *
 * - `stepCode(body, page)` the lines; undefined when Playwright has no equivalent.
 */

import type { CommandBody } from "../journal/index.ts";
import { parseTarget } from "../targets/parse-target.ts";
import { targetCode } from "./playwright-spec.ts";

type Step = (input: Readonly<Record<string, unknown>>, at: { page: string; target: string }) => string[] | undefined;

const text = (value: unknown): string => JSON.stringify(String(value ?? ""));
const onTarget =
  (method: string): Step =>
  (_, { target }) => [`await ${target}.${method}();`];
const onPage =
  (method: string): Step =>
  (_, { page }) => [`await ${page}.${method}();`];

const steps: Readonly<Record<string, Step>> = {
  goto: ({ url }, { page }) => [`await ${page}.goto(${text(url)});`],
  back: onPage("goBack"),
  forward: onPage("goForward"),
  reload: onPage("reload"),
  click: (input, { target }) => [`await ${target}.click(${clickOptions(input)});`],
  dblclick: onTarget("dblclick"),
  hover: onTarget("hover"),
  check: onTarget("check"),
  uncheck: onTarget("uncheck"),
  fill: ({ value }, { target }) => [`await ${target}.fill(${text(value)});`],
  type: ({ text: typed }, { target, page }) => [
    target === ""
      ? `await ${page}.keyboard.type(${text(typed)});`
      : `await ${target}.pressSequentially(${text(typed)});`,
  ],
  press: ({ key, times }, { target, page }) => {
    const again = Number(times) > 1 ? `for (let more = 1; more < ${Number(times)}; more++) ` : undefined;
    const onKeyboard = `await ${page}.keyboard.press(${text(key)});`;
    const first = target === "" ? onKeyboard : `await ${target}.press(${text(key)});`;
    return again === undefined ? [first] : [first, `${again}${onKeyboard}`];
  },
  select: ({ options }, { target }) => [`await ${target}.selectOption(${JSON.stringify(options ?? [])});`],
  upload: ({ files }, { target }) => [`await ${target}.setInputFiles(${JSON.stringify(files ?? [])});`],
  js: ({ script }, { page }) => [`await ${page}.evaluate(${text(script)});`],
  viewport: ({ size }, { page }) => {
    const [, width, height] = /^(\d+)[x×](\d+)$/.exec(String(size)) ?? [];
    return width && height ? [`await ${page}.setViewportSize({ width: ${width}, height: ${height} });`] : undefined;
  },
};

export function stepCode(body: CommandBody, page: string): string[] | undefined {
  const step = Object.hasOwn(steps, body.command) ? steps[body.command] : undefined;
  if (!step) return undefined;
  const target = targetOf(body, page);
  const needsTarget = "target" in body.input;
  return needsTarget && target === undefined ? undefined : step(body.input, { page, target: target ?? "" });
}

function targetOf({ input, targets }: CommandBody, page: string): string | undefined {
  if (targets.target) return targetCode(targets.target, page);
  if (typeof input.target !== "string") return undefined;
  const meant = parseTarget(input.target);
  switch (meant.kind) {
    case "ref":
      return undefined;
    case "css":
      return `${page}.locator(${text(meant.css)})`;
    case "text":
      return `${page}.getByText(${text(meant.text)})`;
    case "role":
      return `${page}.getByRole(${text(meant.role)}, { name: ${text(meant.name)}, exact: ${meant.exact} })`;
  }
}

function clickOptions({ button, modifiers }: Readonly<Record<string, unknown>>): string {
  const options = {
    ...(button === undefined || button === "left" ? {} : { button }),
    ...(Array.isArray(modifiers) && modifiers.length > 0 ? { modifiers } : {}),
  };
  return Object.keys(options).length > 0 ? JSON.stringify(options) : "";
}
