/** Search over screens and commands. Enter opens a screen or copies a command; Ctrl+C copies the command line of any entry. */
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { useIsTeamServer } from "../app-context.tsx";
import { matchEntries, type PaletteEntry, paletteEntries } from "../model/palette.ts";
import { copyText } from "../parts/copy-command.tsx";
import { Keys } from "../parts/kbd.tsx";
import { Modal } from "../parts/modal.tsx";
import { useCommands } from "../queries.ts";

export function Palette({ onClose }: { onClose: () => void }) {
  const commands = useCommands();
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const [copied, setCopied] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const isTeam = useIsTeamServer();
  const entries = useMemo(() => paletteEntries(commands.data ?? [], isTeam), [commands.data, isTeam]);
  const found = matchEntries(entries, query);
  const active = found[Math.min(at, found.length - 1)];

  useEffect(() => {
    list.current?.querySelector(`[id="${active?.id}"]`)?.scrollIntoView({ block: "nearest" });
  }, [active?.id]);

  async function copy(entry: PaletteEntry) {
    setCopied((await copyText(entry.commandLine)) ? `Copied ${entry.commandLine}` : "The clipboard is not available");
  }
  function choose(entry: PaletteEntry) {
    if (entry.is === "command") return void copy(entry);
    onClose();
    void navigate({ to: entry.path });
  }
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined && found.length > 0) {
      event.preventDefault();
      setAt((Math.min(at, found.length - 1) + move + found.length) % found.length);
    } else if (event.key === "Enter" && active) {
      event.preventDefault();
      choose(active);
    } else if (
      event.key.toLowerCase() === "c" &&
      (event.metaKey || event.ctrlKey) &&
      active &&
      !hasSelection(event.currentTarget)
    ) {
      event.preventDefault();
      void copy(active);
    }
  }

  return (
    <Modal label="Search screens and commands" onClose={onClose}>
      <input
        // biome-ignore lint/a11y/noAutofocus: the dialog was opened to type into this field
        autoFocus
        type="text"
        role="combobox"
        aria-label="Search screens and commands"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={active?.id}
        placeholder="Search screens and commands"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
          setCopied("");
        }}
        onKeyDown={onKeyDown}
        className="h-12 shrink-0 border-b border-line bg-raised px-4 outline-none placeholder:text-ink-soft"
      />
      <div
        ref={list}
        id="palette-list"
        role="listbox"
        aria-label="Results"
        tabIndex={-1}
        className="min-h-0 flex-1 overflow-y-auto p-2"
      >
        {found.map((entry) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox above handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the combobox, which points here
          <div
            key={entry.id}
            id={entry.id}
            role="option"
            aria-selected={entry === active}
            onClick={() => choose(entry)}
            onMouseMove={() => setAt(found.indexOf(entry))}
            className="flex cursor-pointer flex-col gap-x-3 rounded-small px-2 py-2 wide:flex-row wide:items-center aria-selected:bg-accent-soft"
          >
            <span className="min-w-0 truncate">{entry.title}</span>
            <span className="hidden text-meta text-ink-soft wide:inline">{entry.detail}</span>
            <code className="max-w-full truncate wide:ml-auto font-mono text-meta text-ink-soft">
              {entry.commandLine}
            </code>
          </div>
        ))}
        {found.length === 0 && <p className="px-2 py-6 text-center text-ink-soft">Nothing matches “{query}”.</p>}
        {commands.isError && (
          <p className="px-2 py-2 text-bad">Could not load the commands: {commands.error.message}</p>
        )}
      </div>
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-t border-line bg-sunken px-4 py-2 text-meta text-ink-soft">
        <span role="status" className="min-w-0 truncate font-medium text-good empty:hidden">
          {copied}
        </span>
        {!copied && (
          <>
            <span className="inline-flex items-center gap-2">
              <Keys keys={["Enter"]} /> {active?.is === "command" ? "copy" : "open"}
            </span>
            <span className="inline-flex items-center gap-2">
              <Keys keys={["Mod", "C"]} /> copy command line
            </span>
          </>
        )}
      </div>
    </Modal>
  );
}

function hasSelection(input: HTMLInputElement): boolean {
  return input.selectionStart !== input.selectionEnd;
}
