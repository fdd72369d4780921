/** The filter of a table, reached with `/`. */
export function FilterField(props: { label: string; value: string; onChange: (next: string | undefined) => void }) {
  return (
    <input
      type="search"
      aria-label={props.label}
      placeholder="Filter"
      data-filter
      value={props.value}
      onChange={(event) => props.onChange(event.target.value || undefined)}
      onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      className="mb-4 h-8 w-full max-w-72 rounded-small border border-line-strong bg-canvas px-2 placeholder:text-ink-soft"
    />
  );
}
