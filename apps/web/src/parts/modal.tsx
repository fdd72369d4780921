/** A native modal dialog: the browser keeps the focus inside and closes it on Escape. */
import { type ReactNode, useEffect, useRef } from "react";

export function Modal({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current!;
    const before = document.activeElement;
    if (!element.open) element.showModal();
    // React's autoFocus comes before the dialog is open, when nothing in it can have the focus.
    element.querySelector<HTMLElement>("[data-focus]")?.focus();
    return () => {
      element.close();
      // Unmounting removes the dialog before the browser can restore the focus.
      if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too, through the dialog's own cancel event
    <dialog
      ref={dialog}
      aria-label={label}
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      className="mx-auto mt-[12dvh] max-h-[76dvh] w-[min(640px,calc(100vw-32px))] overflow-hidden rounded-panel border border-line bg-raised p-0 text-ink shadow-2xl open:flex open:flex-col"
    >
      {children}
    </dialog>
  );
}
