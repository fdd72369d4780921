/** Keyboard keys. `Mod` is ⌘ on a Mac, Ctrl elsewhere. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded-small border border-line bg-sunken px-1 font-mono text-meta text-ink-soft"
        >
          {key === "Mod" ? (isMac ? "⌘" : "Ctrl") : key}
        </kbd>
      ))}
    </span>
  );
}
