/** Listens for keyboard shortcuts and performs the actions that `model/shortcuts.ts` decides on. */
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useIsTeamServer } from "../app-context.tsx";
import { nextKey, type PendingKey } from "../model/shortcuts.ts";

export function useFrameKeys(actions: { openPalette(): void; openShortcuts(): void }): void {
  const navigate = useNavigate();
  const isTeamServer = useIsTeamServer();
  const latest = useRef(actions);
  latest.current = actions;

  useEffect(() => {
    let pending: PendingKey | undefined;
    function onKey(event: KeyboardEvent) {
      if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
      const { pending: next, action } = nextKey(
        pending,
        { key: event.key, mod: event.metaKey || event.ctrlKey, alt: event.altKey, typing: isTyping(event.target) },
        event.timeStamp,
        isTeamServer,
      );
      // Shift alone does not end a sequence: it may be part of the second key.
      if (!(event.key === "Shift")) pending = next;
      if (!action || (event.repeat && action.do === "press")) return;
      event.preventDefault();
      switch (action.do) {
        case "press":
          return press(action.key);
        case "go":
          return void navigate({ to: action.path });
        case "palette":
          return latest.current.openPalette();
        case "shortcuts":
          return latest.current.openShortcuts();
        case "next-row":
          return moveRow(1);
        case "previous-row":
          return moveRow(-1);
        case "filter":
          return document.querySelector<HTMLElement>("main [data-filter]")?.focus();
      }
    }
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [navigate, isTeamServer]);
}

/** Rows are links marked with `data-row`. The focused row is the selection, so Enter needs no code. */
function moveRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by));
  rows[next]?.focus();
}

/** Clicks the button with this key: the one in the focused row, otherwise the one on the screen outside of rows. */
function press(key: string): void {
  const row = document.activeElement?.closest("main [data-keys]");
  const own = `[data-key="${key}"]:not(:disabled)`;
  const button = row?.querySelector<HTMLElement>(own) ?? document.querySelector<HTMLElement>(`main ${own}`);
  if (button && !(button.closest("[data-keys]") && !row)) button.click();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches("textarea, select, input:not([type=radio], [type=checkbox], [type=button])"))
  );
}
