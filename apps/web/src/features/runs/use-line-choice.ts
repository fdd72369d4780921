/**
 * Choosing lines of a diff, by pointer or by keys: a click takes one line, with Shift all lines up to it; the arrow keys move,
 * with Shift they take more lines, and Enter opens the editor.
 */
import { type KeyboardEvent, type MouseEvent, useState } from "react";
import { type CommentTarget, nextLine, rangeOf, targetAt } from "../../model/runs/comment-lines.ts";
import type { DiffRow } from "../../model/runs/diff-rows.ts";

interface Choice {
  /** Where a range began, and the row that the keys are at. */
  readonly anchor: number;
  readonly at: number;
  readonly half: "left" | "right";
}

export interface LineChoice {
  /** What is chosen; undefined before the first choice. */
  readonly target: CommentTarget | undefined;
  readonly rows: { readonly first: number; readonly last: number } | undefined;
  readonly isOpen: boolean;
  close(): void;
  readonly on: {
    onClick(event: MouseEvent<HTMLElement>): void;
    onKeyDown(event: KeyboardEvent<HTMLElement>): void;
  };
}

export function useLineChoice(rows: readonly DiffRow[], reveal: (index: number) => void): LineChoice {
  const [choice, setChoice] = useState<Choice>();
  const [isOpen, setOpen] = useState(false);
  const target = choice && rangeOf(rows, choice.anchor, choice.at, choice.half);

  function onClick(event: MouseEvent<HTMLElement>) {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-line-row]");
    // Somebody who marks text does not want to comment on it.
    if (!row || !document.getSelection()?.isCollapsed) return;
    const at = Number(row.dataset.lineRow);
    const half = (event.target as HTMLElement).closest<HTMLElement>("[data-half]")?.dataset.half;
    const side = half === "left" ? "left" : "right";
    if (!targetAt(rows, at, side)) return;
    const isMore = event.shiftKey && choice !== undefined && choice.half === side;
    setChoice({ anchor: isMore ? choice.anchor : at, at, half: side });
    setOpen(true);
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.target !== event.currentTarget) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const at = nextLine(rows, choice?.at ?? -1, event.key === "ArrowDown" ? 1 : -1);
      if (at < 0) return;
      const half = targetAt(rows, at, "right") ? "right" : "left";
      setChoice({ anchor: event.shiftKey && choice ? choice.anchor : at, at, half });
      reveal(at);
    } else if (event.key === "Enter" && target) {
      event.preventDefault();
      setOpen(true);
    } else if (event.key === "Escape") setChoice(undefined);
  }

  return {
    target,
    rows: choice && target && { first: Math.min(choice.anchor, choice.at), last: Math.max(choice.anchor, choice.at) },
    isOpen: isOpen && target !== undefined,
    close: () => setOpen(false),
    on: { onClick, onKeyDown },
  };
}
