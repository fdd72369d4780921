/** A button in one of three variants; `shortcut` is the key that clicks it from anywhere on the screen. */
import type { ComponentProps } from "react";
import { Keys } from "./kbd.tsx";

const variants = {
  strong: "bg-accent text-on-accent hover:opacity-90 border-accent",
  plain: "border-line-strong bg-raised hover:bg-hover",
  danger: "border-line-strong bg-raised text-bad hover:bg-bad-soft",
} as const;

export function Button({
  variant = "plain",
  shortcut,
  className = "",
  children,
  ...rest
}: ComponentProps<"button"> & { variant?: keyof typeof variants; shortcut?: string }) {
  return (
    <button
      type="button"
      {...rest}
      {...(shortcut ? { "data-key": shortcut, "aria-keyshortcuts": shortcut } : {})}
      className={`inline-flex min-h-8 items-center justify-center gap-2 rounded-small border px-3 font-medium disabled:cursor-default disabled:opacity-50 ${variants[variant]} ${className}`}
    >
      {children}
      {shortcut && (
        <span aria-hidden="true" className="hidden wide:inline">
          <Keys keys={[shortcut]} />
        </span>
      )}
    </button>
  );
}
