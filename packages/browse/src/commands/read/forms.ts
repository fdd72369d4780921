/** Forms of the page and its frames, and their fields, those that the page draws itself too. */
import type { Frame, Locator } from "playwright-core";
import type { Answer, Tab, TabScope } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import { captureTree } from "../../snapshot/capture-tree.ts";
import { quote } from "../../snapshot/line.ts";
import type { PageTree } from "../../snapshot/page-tree.ts";
import { placesOf } from "../../snapshot/places.ts";

const fieldsOf = "input:not([type=hidden]),select,textarea,[role=combobox]:not(input,select)";

interface Field {
  /** Its place among the fields of the page. */
  readonly at: number;
  readonly form: number;
  readonly name: string;
  readonly kind: string;
  readonly label: string;
  readonly required: boolean;
  readonly disabled: boolean;
  readonly value: string;
  readonly options?: readonly string[];
  readonly problem?: string;
}

interface Form {
  readonly name: string;
  readonly method: string;
  readonly action: string;
  /** What the frame is called that it is in; absent in the page itself. */
  readonly frame?: string;
  readonly fields: readonly Omit<Field, "at" | "form">[];
}

export async function forms(_input: object, { tab }: TabScope): Promise<Answer> {
  const own = tab.frame();
  const others = own === tab.page.mainFrame() ? tab.page.frames().filter((one) => one !== own) : [];
  const inFrames = others.slice(0, mostFrames).map((frame) => formsOfFrame(tab, frame).catch(() => []));
  const shown = (await Promise.all([formsIn(tab, own), ...inFrames])).flat();
  const lines = shown.flatMap((form) => [
    `form ${quote(form.name, 60)}${form.method ? ` ${form.method.toUpperCase()} ${form.action}` : ""}${form.frame ? ` in frame ${quote(form.frame, 60)}` : ""}`,
    ...form.fields.map((field) => `  ${lineOf(field)}`),
  ]);
  return { text: lines.join("\n") || "no forms", data: { forms: shown }, fromPage: true };
}

async function formsOfFrame(tab: Tab, frame: Frame): Promise<Form[]> {
  const found = await formsIn(tab, frame);
  if (found.length === 0) return [];
  const element = await frame.frameElement();
  const name = (await element.getAttribute("title")) || frame.name() || frame.url();
  return found.map((form) => ({ ...form, frame: name }));
}

async function formsIn(tab: Tab, frame: Frame): Promise<Form[]> {
  const all = frame.locator(fieldsOf);
  const [described, heads] = await Promise.all([all.evaluateAll(describeFields), frame.evaluate(describeForms)]);
  const labelled = await withPlaces(tab, all, described);
  const found = [...heads, { name: "(no form)", method: "", action: "" }].map((head, at) => {
    const form = at === heads.length ? -1 : at;
    return {
      ...head,
      fields: labelled.filter((field) => field.form === form).map(({ at: _, form: __, ...rest }) => rest),
    };
  });
  return found.filter(({ fields }, at) => at < heads.length || fields.length > 0);
}

function lineOf({
  kind,
  label,
  name,
  required,
  disabled,
  problem,
  value,
  options,
}: Omit<Field, "at" | "form">): string {
  const notes = [required && "required", disabled && "disabled", problem].filter(Boolean).join("; ");
  const choices = options ? ` of ${options.slice(0, 12).join(" | ")}` : "";
  return `${kind} ${quote(label || name, 80)}${notes ? ` [${notes}]` : ""}: ${quote(value, 120)}${choices}`;
}

function describeForms() {
  return [...document.forms].map((form) => ({
    name: form.getAttribute("name") ?? form.id,
    method: form.method,
    action: form.action,
  }));
}

/** Runs in the page. */
function describeFields(elements: readonly Element[]): Field[] {
  type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
  const plain = (words: string) => words.replace(/\s+/g, " ").trim();
  /** Parts of a label stand apart, but for words within a sentence. */
  const wordsIn = (element: Element | undefined): string => {
    if (!element) return "";
    for (const part of element.querySelectorAll("*")) {
      if (part.matches("a,abbr,b,code,em,i,mark,small,strong,sub,sup,u")) continue;
      part.before(" ");
      part.after(" ");
    }
    return plain(element.textContent ?? "");
  };
  const labelOf = (control: Control): string => {
    const label = control.labels?.[0]?.cloneNode(true) as HTMLElement | undefined;
    for (const inner of label?.querySelectorAll("select,textarea,option,[role=combobox],[role=listbox]") ?? [])
      inner.remove();
    const by = (control.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter((id) => id !== control.id);
    const named = by.map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
    const own = plain(control.getAttribute("aria-label") ?? "");
    // A label around such a box has what is chosen in it, too.
    const first = control.getAttribute("role") === "combobox" ? own : "";
    const words = first || wordsIn(label) || plain(named) || own;
    return words || plain(control.getAttribute("placeholder") ?? "");
  };
  /** What is chosen stands beside the text field of such a box, or in it. */
  const chosenIn = (box: HTMLElement): string => {
    if (!(box instanceof HTMLInputElement)) return plain(box.innerText);
    const isField = "input:not([type=hidden],[aria-hidden=true]),select,textarea,label";
    for (let at = box.parentElement, up = 0; at && up < 4; at = at.parentElement, up++) {
      if (at.querySelectorAll(isField).length > 1 || at.localName === "label") return "";
      const leaves = [...at.querySelectorAll<HTMLElement>("*")].filter((one) => {
        const isShown = one.childElementCount === 0 && one.checkVisibility() && !one.closest("legend,[aria-live],svg");
        return isShown && !/placeholder/i.test(one.className);
      });
      const words = leaves.map((one) => plain(one.innerText)).filter((one) => one !== "" && one !== "×");
      if (words.length > 0) return words.join(", ");
    }
    return "";
  };
  return elements.flatMap((element, at) => {
    const control = element as Control;
    // A field of this kind is behind a box that the page draws, which is in the list, too.
    if (control.getAttribute("aria-hidden") === "true") return [];
    const isBox = control.getAttribute("role") === "combobox";
    const isChoice = control.type === "checkbox" || control.type === "radio";
    const secret = control.type === "password" || /password|cc-|one-time-code/.test(control.autocomplete ?? "");
    const own = isChoice ? String((control as HTMLInputElement).checked) : (control.value ?? "");
    const value = own === "" && isBox ? chosenIn(control) : own;
    return [
      {
        at,
        form: control.form
          ? [...document.forms].indexOf(control.form)
          : [...document.forms].indexOf(control.closest("form") as HTMLFormElement),
        name: control.name ?? "",
        kind: isBox ? "combobox" : control.type,
        label: labelOf(control),
        required: control.required === true || control.getAttribute("aria-required") === "true",
        disabled: control.disabled === true || control.getAttribute("aria-disabled") === "true",
        value: secret && value ? "••••" : value,
        ...(control instanceof HTMLSelectElement && {
          options: [...control.options].slice(0, 50).map(({ label }) => label),
        }),
        ...(control.validationMessage && { problem: control.validationMessage }),
      },
    ];
  });
}

const mostAsked = 40;
const mostFrames = 20;

/** A field without a label is known by the words beside it, as in a snapshot. */
async function withPlaces(tab: Tab, all: Locator, fields: readonly Field[]): Promise<readonly Field[]> {
  const nameless = fields.filter(({ label }) => label === "").slice(0, mostAsked);
  const tree = nameless.length === 0 ? undefined : await captureTree(tab).catch(() => undefined);
  if (!tree) return fields;
  const places = new Map(
    await Promise.all(nameless.map(async ({ at }) => [at, await placeOf(tree, all.nth(at))] as const)),
  );
  return fields.map((field) => {
    const place = places.get(field.at);
    // What is chosen in a box stands beside its text field.
    return place && place !== field.value ? { ...field, label: place } : field;
  });
}

async function placeOf(tree: PageTree, field: Locator): Promise<string | undefined> {
  const ref = await askPage(field, { ask: "ref" }, { timeoutMs: 1_000 }).catch(() => null);
  const node = ref === null ? undefined : tree.nodes.find((one) => one.ref === ref);
  return node && (node.name || placesOf(tree, [node]).get(node));
}
