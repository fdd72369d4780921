/**
 * Checkboxes, radio buttons and file fields that cannot be seen, and that a person uses through their label, or through what is drawn
 * beside them. Runs in the isolated world of every frame and is sent as text, like page-world.ts.
 *
 * - `labelFor(field)` what is pressed for it, if it is such a field.
 * - `all(roots)` those in a document and shadow roots.
 */
import type { DrawnChoices } from "./drawn-choices.ts";

export interface LabelledField {
  readonly field: HTMLInputElement;
  readonly label: Element;
  readonly name: string;
  readonly role: "button" | "checkbox" | "radio" | "switch";
  readonly states: readonly string[];
  /** All that is the same control, where it has no label. */
  readonly drawn?: Element;
}

export interface LabelledFields {
  labelFor(field: Element): HTMLElement | undefined;
  all(roots: readonly ParentNode[]): readonly LabelledField[];
}

export function labelledFields(plain: (text: string) => string, { drawingOf }: DrawnChoices): LabelledFields {
  const kinds = "input[type=checkbox],input[type=radio],input[type=file]";
  /** Libraries draw a control of their own, which has the role. */
  const drawn = "button,[role=button],[role=checkbox],[role=radio],[role=switch]";
  const mostFields = 1_000;
  const roles = { checkbox: "checkbox", radio: "radio", file: "button" } as const;
  const hasSize = ({ width, height }: DOMRect): boolean => width > 1 && height > 1;
  const isReachable = (field: Element): boolean => {
    const box = field.getBoundingClientRect();
    const isOnPage = box.right + scrollX > 0 && box.bottom + scrollY > 0;
    return field.checkVisibility({ visibilityProperty: true }) && box.width > 0 && box.height > 0 && isOnPage;
  };
  const isShown = (label: Element): boolean =>
    label.checkVisibility({ visibilityProperty: true }) && hasSize(label.getBoundingClientRect());

  const labelOf = (field: Element): HTMLElement | undefined =>
    [...((field as HTMLInputElement).labels ?? [])].find(isShown);
  function labelFor(field: Element): HTMLElement | undefined {
    if (!field.matches(kinds)) return undefined;
    const drawing = drawingOf(field);
    if (drawing || isReachable(field)) return drawing?.pressed;
    const label = labelOf(field);
    return label?.querySelector(drawn) ? undefined : label;
  }
  function nameOf(field: Element, shown: HTMLElement): string {
    const names = (field.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
    const labels = names.map((id) => (field.getRootNode() as Document).getElementById(id)?.textContent ?? "");
    const given = field.getAttribute("aria-label") ?? (labels.join(" ").trim() || undefined);
    return plain(given ?? (labelOf(field) ?? shown).innerText).slice(0, 80);
  }
  return {
    labelFor,
    all(roots) {
      const fields = roots.flatMap((root) => [...root.querySelectorAll<HTMLInputElement>(kinds)]);
      return fields.slice(0, mostFields).flatMap((field) => {
        const label = labelFor(field);
        if (!label) return [];
        const states = [
          ...(field.indeterminate ? ["half checked"] : field.checked ? ["checked"] : []),
          ...(field.disabled ? ["disabled"] : []),
        ];
        const around = drawingOf(field)?.around;
        const role = field.getAttribute("role") === "switch" ? "switch" : roles[field.type as keyof typeof roles];
        return [{ field, label, name: nameOf(field, around ?? label), role, states, ...(around && { drawn: around }) }];
      });
    },
  };
}
