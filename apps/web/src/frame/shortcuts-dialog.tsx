import { Icon } from "../parts/icon.tsx";
import { Modal } from "../parts/modal.tsx";
import { ShortcutList } from "../parts/shortcut-list.tsx";

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Modal label="Keyboard shortcuts" onClose={onClose}>
      <div className="flex h-12 shrink-0 items-center justify-between border-b border-line pr-2 pl-4">
        <h2 className="text-body">Keyboard shortcuts</h2>
        <button
          type="button"
          onClick={onClose}
          aria-label="Close"
          className="grid size-8 place-items-center rounded-small hover:bg-hover"
        >
          <Icon name="close" />
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <section aria-label="All shortcuts" tabIndex={0} className="min-h-0 overflow-y-auto outline-offset-[-2px]">
        <ShortcutList />
      </section>
    </Modal>
  );
}
