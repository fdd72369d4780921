/**
 * A list of rows of equal height that renders only those in view. Up to 200 rows are all rendered, and the page scrolls instead of
 * a box.
 *
 * Empty SVGs take the space of the other rows: their height is an attribute, since the content security policy forbids styles.
 */
import {
  type ComponentProps,
  type ReactNode,
  type Ref,
  useCallback,
  useImperativeHandle,
  useRef,
  useState,
} from "react";
import { visibleRows, windowFrom } from "../model/runs/visible-rows.ts";

export interface WindowedHandle {
  scrollToRow(index: number): void;
  /** Only as far as needed. */
  revealRow(index: number): void;
}

export interface WindowedProps {
  readonly label: string;
  readonly count: number;
  /** In pixels; every row has exactly this height. */
  readonly rowHeight: number;
  readonly render: (index: number) => ReactNode;
  readonly role?: "list" | undefined;
  readonly className?: string;
  readonly handle?: Ref<WindowedHandle>;
  /** Scrolls in a box even with few rows. */
  readonly boxed?: boolean;
  /** For lists whose rows react as a whole. */
  readonly on?: Pick<ComponentProps<"section">, "onClick" | "onKeyDown">;
}

export function Windowed({ label, count, rowHeight, render, role, className = "", handle, boxed, on }: WindowedProps) {
  const box = useRef<HTMLDivElement>(null);
  const { rows, onScroll } = useVisibleRows(box, count, rowHeight);
  useImperativeHandle(handle, () => ({
    scrollToRow: (index) => box.current?.scrollTo({ top: index * rowHeight }),
    revealRow(index) {
      const element = box.current;
      if (!element) return;
      const top = index * rowHeight;
      if (top < element.scrollTop) element.scrollTo({ top });
      else if (top + rowHeight > element.scrollTop + element.clientHeight)
        element.scrollTo({ top: top + rowHeight - element.clientHeight });
    },
  }));
  const isBox = boxed || count > windowFrom;
  return (
    <section
      ref={box}
      aria-label={label}
      onScroll={onScroll}
      {...on}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      tabIndex={0}
      className={`outline-offset-[-2px] overflow-x-auto ${isBox ? "max-h-[72dvh] overflow-y-auto" : ""} ${className}`}
    >
      <div role={role} className="min-w-full">
        <Gap height={rows.before} />
        {Array.from({ length: rows.last - rows.first }, (_, offset) => render(rows.first + offset))}
        <Gap height={rows.after} />
      </div>
    </section>
  );
}

export function useVisibleRows(box: { readonly current: HTMLElement | null }, count: number, rowHeight: number) {
  const [view, setView] = useState({ scrollTop: 0, height: 900 });
  const onScroll = useCallback(() => {
    const element = box.current;
    if (element) setView({ scrollTop: element.scrollTop, height: element.clientHeight });
  }, [box]);
  return { rows: visibleRows({ count, rowHeight, ...view }), onScroll };
}

function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  return <svg width="1" height={height} aria-hidden="true" className="block" />;
}
