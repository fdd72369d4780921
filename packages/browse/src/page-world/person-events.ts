/**
 * Tells what a person does in a page, as the commands that do the same. Runs in the isolated world of every frame and is
 * sent as text, like page-world.ts.
 *
 * - `watch()` from now on; `stop()`. Only events of a real mouse or keyboard count: a page cannot make them.
 */
import type { PageReading, PageRef } from "./questions.ts";

export interface PersonTarget {
  readonly selector: string;
  readonly role: string;
  readonly name: string;
  readonly isSecret: boolean;
  readonly document: string;
  readonly ref: PageRef;
}

/** The page before an act. */
export interface PersonLook {
  readonly state: PageReading;
  readonly url: string;
  readonly title: string;
}

/** The argument of the command is in `with`. What was typed into a secret field is left out. */
export interface PersonAct {
  readonly do: "click" | "dblclick" | "fill" | "select" | "press" | "upload";
  readonly on: PersonTarget;
  readonly with: Readonly<Record<string, string | readonly string[]>>;
  /** Left out where a person would notice how long it takes. */
  readonly look?: PersonLook | undefined;
}

export interface PersonEvents {
  watch(): null;
  stop(): null;
}

export function personEvents(parts: {
  describe(element: Element): PersonTarget | undefined;
  look(): PersonLook | undefined;
  send(act: PersonAct): void;
}): PersonEvents {
  const owners =
    "button,select,a,input,textarea,summary,[role=button],[role=checkbox],[role=radio],[role=link],[role=tab]";
  const typedInto =
    "textarea,input:not([type=button],[type=submit],[type=reset],[type=checkbox],[type=radio],[type=file],[type=image])";
  const toldKeys = /^(Enter|Escape|ArrowUp|ArrowDown|ArrowLeft|ArrowRight|Home|End|PageUp|PageDown|Delete|F\d+)$/;
  const modifierKeys = ["Alt", "Control", "Meta", "Shift"];
  /** A click on a label clicks its field too. */
  let clickedByLabel: Element | undefined;
  /** From the beginning of the act: pressing the mouse moves the focus, and typing changes the field. */
  let look: PersonLook | undefined;
  let typingIn: Element | undefined;

  const elementOf = (event: Event): Element | undefined => {
    const [first] = event.composedPath();
    return event.isTrusted && first instanceof Element ? first : undefined;
  };
  const tell = (act: PersonAct["do"], element: Element, given: PersonAct["with"] = {}): void => {
    const on = parts.describe(element);
    if (on) parts.send({ do: act, on, with: given, look });
    typingIn = act === "fill" ? element : undefined;
  };
  const onBegin = (event: Event): void => {
    const element = elementOf(event);
    // What is typed into one field is one act.
    if (element && element !== typingIn) look = parts.look();
  };
  const modifiersOf = (event: MouseEvent | KeyboardEvent): string[] =>
    modifierKeys.filter((key) => event.getModifierState(key));

  const clicked = (event: MouseEvent, act: "click" | "dblclick"): void => {
    const inner = elementOf(event);
    // Keys click too, and they are told as keys; the second click of two is told as a double click.
    if (!inner || event.detail === 0 || (act === "click" && event.detail > 1)) return;
    const label = inner.closest("label");
    const field = inner.closest(owners) ? undefined : label?.control;
    const element = field ?? inner.closest(owners) ?? inner;
    if (element === clickedByLabel) return;
    if (field) {
      clickedByLabel = field;
      setTimeout(() => {
        clickedByLabel = undefined;
      });
    }
    if (element.matches("select,option,input[type=file]")) return;
    const modifiers = modifiersOf(event);
    const button = event.type === "contextmenu" ? "right" : undefined;
    tell(act, element, { ...(button && { button }), ...(modifiers.length > 0 && { modifiers }) });
  };
  const onInput = (event: Event): void => {
    const element = elementOf(event);
    const host = element?.closest<HTMLElement>("[contenteditable]");
    const field = element?.matches(typedInto) ? (element as HTMLInputElement) : undefined;
    if (!field && !host?.isContentEditable) return;
    const target = field ?? host!;
    const value = field ? field.value : (host?.innerText ?? "");
    tell("fill", target, { value: parts.describe(target)?.isSecret ? "" : value });
  };
  const onChange = (event: Event): void => {
    const element = elementOf(event);
    if (element instanceof HTMLSelectElement) {
      tell("select", element, { options: [...element.selectedOptions].map((option) => option.label) });
    } else if (element instanceof HTMLInputElement && element.type === "file") {
      tell("upload", element, { files: [...(element.files ?? [])].map((file) => file.name) });
    }
  };
  const onKey = (event: KeyboardEvent): void => {
    const element = elementOf(event);
    // Enter ends the typing in a field; other keys go on with it.
    if (element !== typingIn || event.key.length > 1) look = parts.look();
    if (!element || event.isComposing || element.matches("select")) return;
    const isText = element.matches(typedInto) || (element as HTMLElement).isContentEditable;
    const isList = element.matches("[role=combobox],[aria-haspopup],[aria-autocomplete],[list]");
    const modifiers = modifiersOf(event);
    const isShortcut = modifiers.some((key) => key !== "Shift") && event.key.length === 1;
    const isMove = /^(Arrow|Home|End|Page|Delete)/.test(event.key);
    const isNewLine =
      event.key === "Enter" && (element.matches("textarea") || (element as HTMLElement).isContentEditable);
    const isTold =
      event.key === " " ? !isText : toldKeys.test(event.key) && !isNewLine && !(isMove && isText && !isList);
    const key = [...modifiers, event.key === " " ? "Space" : event.key].join("+");
    if (isTold) tell("press", element, { key });
    // A shortcut that the page does not handle is one of the browser.
    else if (isShortcut && !isText) setTimeout(() => event.defaultPrevented && tell("press", element, { key }));
  };
  const onClick = (event: MouseEvent): void => clicked(event, "click");
  const onDoubleClick = (event: MouseEvent): void => clicked(event, "dblclick");
  const listeners = {
    pointerdown: onBegin,
    beforeinput: onBegin,
    click: onClick,
    contextmenu: onClick,
    dblclick: onDoubleClick,
    input: onInput,
    change: onChange,
    keydown: onKey,
  };
  const each = (set: typeof addEventListener): null => {
    for (const [kind, listener] of Object.entries(listeners)) set(kind, listener as EventListener, { capture: true });
    return null;
  };
  return { watch: () => each(addEventListener), stop: () => each(removeEventListener) };
}
