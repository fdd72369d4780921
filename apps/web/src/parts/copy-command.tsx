/** A command line that is copied on click. If the clipboard is not available, the text is selected instead. */
import { useEffect, useRef, useState } from "react";
import { Icon } from "./icon.tsx";

export function CopyCommand({ command, quiet = false }: { command: string; quiet?: boolean }) {
  const [copied, setCopied] = useState<"" | "copied" | "selected">("");
  const text = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(""), 1_600);
    return () => clearTimeout(timer);
  }, [copied]);

  async function copy() {
    if (await copyText(command)) return setCopied("copied");
    if (text.current) getSelection()?.selectAllChildren(text.current);
    setCopied("selected");
  }

  return (
    <button
      type="button"
      onClick={() => void copy()}
      title="Copy"
      className={`group inline-flex min-h-8 max-w-full items-center gap-2 rounded-small border px-2 text-left hover:bg-hover ${quiet ? "border-transparent" : "border-line bg-sunken"}`}
    >
      <span className="sr-only">Copy </span>
      <code ref={text} className="min-w-0 font-mono text-meta [overflow-wrap:anywhere]">
        {command}
      </code>
      <span className={copied ? "text-good" : "text-ink-soft group-hover:text-ink"}>
        <Icon name={copied ? "check" : "copy"} />
      </span>
      <span role="status" className="sr-only">
        {copied === "copied" && "Copied"}
        {copied === "selected" && "Selected. Press Ctrl+C to copy."}
      </span>
    </button>
  );
}

/** False if the page may not write to the clipboard (no secure context, no permission). */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
