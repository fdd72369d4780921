/** A tab list with one tab stop, in which arrow keys select. */
import type { KeyboardEvent } from "react";

export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly count?: number | undefined;
}

export function TabRow(props: {
  label: string;
  tabs: readonly Tab[];
  active: string;
  panel: string;
  onChoose: (id: string) => void;
}) {
  const { tabs, active } = props;
  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.id === active);
    const next = tabs[(at + move + tabs.length) % tabs.length]!;
    props.onChoose(next.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  }
  return (
    <div
      role="tablist"
      aria-label={props.label}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="flex gap-1 overflow-x-auto border-b border-line px-2"
    >
      {tabs.map((tab) => {
        const isActive = tab.id === active;
        return (
          <button
            key={tab.id}
            type="button"
            role="tab"
            data-tab={tab.id}
            aria-selected={isActive}
            aria-controls={props.panel}
            tabIndex={isActive ? 0 : -1}
            onClick={() => props.onChoose(tab.id)}
            className={`-mb-px flex h-10 shrink-0 items-center gap-1 border-b-2 px-2 outline-offset-[-2px] ${isActive ? "border-accent font-medium" : "border-transparent text-ink-soft hover:text-ink"}`}
          >
            {tab.title}
            {tab.count !== undefined && <span className="text-meta text-ink-soft tabular-nums">{tab.count}</span>}
          </button>
        );
      })}
    </div>
  );
}
