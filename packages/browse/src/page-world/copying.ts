/**
 * What is selected, and what was copied. Runs in the isolated world of every frame and is sent as text, like page-world.ts. No
 * permission is needed, since only the page's own events are heard.
 *
 * - `copying(isSecret)` gives `hear()`, `copied()` the text that was copied in the moment after it, `selected()` what is
 *   selected, with dots for a secret.
 */
export interface Copying {
  hear(): null;
  copied(): string | null;
  selected(): string;
}

export function copying(isSecret: (element: Element) => boolean): Copying {
  /** No listener stays behind: a page with none reacts to nothing, which a receipt can rely on. */
  const hearMs = 500;
  let text: string | null = null;

  const isField = (element: Element | null): element is HTMLInputElement | HTMLTextAreaElement =>
    element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
  function selectedText(): string {
    let active: Element | null = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    if (!isField(active) || active.selectionStart === null) return getSelection()?.toString() ?? "";
    const chosen = active.value.slice(active.selectionStart, active.selectionEnd ?? undefined);
    return isSecret(active) ? "•".repeat(chosen.length) : chosen;
  }
  /** The page may have put something else there. */
  const onCopy = (event: ClipboardEvent): void => {
    const own = event.defaultPrevented ? (event.clipboardData?.getData("text/plain") ?? "") : selectedText();
    // Of a secret there is nothing to tell.
    text = /^•*$/.test(own) ? null : own;
  };
  const kinds = ["copy", "cut"] as const;
  return {
    hear() {
      text = null;
      for (const kind of kinds) addEventListener(kind, onCopy);
      setTimeout(() => {
        for (const kind of kinds) removeEventListener(kind, onCopy);
      }, hearMs);
      return null;
    },
    copied: () => text,
    selected: selectedText,
  };
}
