/** A labelled line of text in a form. */
import { type ComponentProps, useId } from "react";

export const inputBox = "h-9 w-full rounded-small border border-line-strong bg-canvas px-2 placeholder:text-ink-soft";

export function TextField({
  label,
  hint,
  ...rest
}: ComponentProps<"input"> & { readonly label: string; readonly hint?: string }) {
  const id = useId();
  return (
    <div className="grid min-w-0 gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <input id={id} {...rest} aria-describedby={hint ? `${id}-hint` : undefined} className={inputBox} />
      {hint && (
        <p id={`${id}-hint`} className="text-meta text-ink-soft">
          {hint}
        </p>
      )}
    </div>
  );
}
