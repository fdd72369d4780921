/**
 * Selection of table rows with `x` or a click.
 *
 * - `useSelection()` the selected ids; `SelectHead` and `SelectCell` the checkbox column.
 */
import { useState } from "react";

export function useSelection() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setSelected((now) => {
      const next = new Set(now);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  return { selected, toggle, clear: () => setSelected(new Set()) };
}

export function SelectHead() {
  return (
    <th scope="col" className="hidden w-9 wide:table-cell">
      <span className="sr-only">Selected</span>
    </th>
  );
}

export function SelectCell(props: { name: string; isSelected: boolean; onToggle: () => void }) {
  return (
    <td className="hidden pl-3 wide:table-cell">
      <input
        type="checkbox"
        data-key="x"
        checked={props.isSelected}
        onChange={props.onToggle}
        aria-label={`Select ${props.name}`}
        className="block size-4 accent-accent"
      />
    </td>
  );
}
