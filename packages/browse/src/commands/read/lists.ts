/** Links and forms of the page. */
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

export async function forms(_input: object, { tab }: TabScope): Promise<Answer> {
  const found = await tab.frame().evaluate(() => {
    type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
    const controls = [...document.querySelectorAll<Control>("input,select,textarea")].filter(
      (control) => control.type !== "hidden",
    );
    const labelOf = (control: Control) => {
      const label = control.labels?.[0]?.cloneNode(true) as HTMLElement | undefined;
      for (const inner of label?.querySelectorAll("select,textarea,option") ?? []) inner.remove();
      const words =
        label?.textContent ?? control.getAttribute("aria-label") ?? control.getAttribute("placeholder") ?? "";
      return words.replace(/\s+/g, " ").trim();
    };
    const describe = (control: Control) => {
      const isChoice = control.type === "checkbox" || control.type === "radio";
      const secret = control.type === "password" || /password|cc-|one-time-code/.test(control.autocomplete);
      const value = isChoice ? String((control as HTMLInputElement).checked) : control.value;
      return {
        name: control.name,
        kind: control.type,
        label: labelOf(control),
        required: control.required,
        disabled: control.disabled,
        value: secret && value ? "••••" : value,
        ...(control instanceof HTMLSelectElement && {
          options: [...control.options].slice(0, 50).map(({ label }) => label),
        }),
        ...(control.validationMessage && { problem: control.validationMessage }),
      };
    };
    const forms = [...document.forms].map((form) => ({
      name: form.getAttribute("name") ?? form.id,
      method: form.method,
      action: form.action,
      fields: controls.filter((control) => control.form === form).map(describe),
    }));
    const loose = controls.filter((control) => !control.form).map(describe);
    return loose.length > 0 ? [...forms, { name: "(no form)", method: "", action: "", fields: loose }] : forms;
  });
  const lines = found.flatMap((form) => [
    `form ${quote(form.name, 60)}${form.method ? ` ${form.method.toUpperCase()} ${form.action}` : ""}`,
    ...form.fields.map((field) => {
      const notes = [field.required && "required", field.disabled && "disabled", field.problem]
        .filter(Boolean)
        .join("; ");
      const choices = "options" in field ? ` of ${field.options?.slice(0, 12).join(" | ")}` : "";
      return `  ${field.kind} ${quote(field.label || field.name, 80)}${notes ? ` [${notes}]` : ""}: ${quote(field.value, 120)}${choices}`;
    }),
  ]);
  return { text: lines.join("\n") || "no forms", data: { forms: found }, fromPage: true };
}
