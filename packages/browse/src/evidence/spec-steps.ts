/**
 * One recorded command as Playwright code.
 *
 * - `stepCode(body, page)` the lines; undefined when there is no word for it.
 */
import { parseTarget } from "../targets/parse-target.ts";
import type { CommandBody } from "./entry.ts";
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
  type: ({ text: typed, value }, { target, page }) => [
    target === ""
      ? `await ${page}.keyboard.type(${text(typed ?? value)});`
      : `await ${target}.pressSequentially(${text(typed ?? value)});`,
  ],
  press: ({ key, keys }, { target, page }) => {
    const pressed = [key ?? keys].flat().map((one) => String(one));
    return pressed.map((one) =>
      target === "" ? `await ${page}.keyboard.press(${text(one)});` : `await ${target}.press(${text(one)});`,
    );
  },
  select: ({ values, value, options }, { target }) => [
    `await ${target}.selectOption(${JSON.stringify([values ?? value ?? options].flat())});`,
  ],
  viewport: ({ width, height }, { page }) =>
    typeof width === "number" && typeof height === "number"
      ? [`await ${page}.setViewportSize({ width: ${width}, height: ${height} });`]
      : undefined,
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
