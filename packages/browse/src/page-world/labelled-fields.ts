/**
 * Checkboxes, radio buttons and file fields that cannot be seen, and that a person uses through their label. Runs in the
 * isolated world of every frame and is sent as text, like page-world.ts.
 *
 * - `labelFor(field)` its label, if it is such a field.
 * - `all(roots)` those in a document and shadow roots.
 */
export interface LabelledField {
  readonly field: HTMLInputElement;
  readonly label: Element;
  readonly name: string;
  readonly role: "button" | "checkbox" | "radio";
  readonly states: readonly string[];
}

export interface LabelledFields {
  labelFor(field: Element): HTMLElement | undefined;
  all(roots: readonly ParentNode[]): readonly LabelledField[];
}

export function labelledFields(plain: (text: string) => string): LabelledFields {
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

  function labelFor(field: Element): HTMLElement | undefined {
    if (!field.matches(kinds) || isReachable(field)) return undefined;
    const label = [...((field as HTMLInputElement).labels ?? [])].find(isShown);
    return label?.querySelector(drawn) ? undefined : label;
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
        const name = plain(field.getAttribute("aria-label") ?? label.innerText).slice(0, 80);
        return [{ field, label, name, role: roles[field.type as keyof typeof roles], states }];
      });
    },
  };
}
