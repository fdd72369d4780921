/** All keyboard shortcuts, shown by `?` and in the settings. */
import { useIsTeamServer } from "../app-context.tsx";
import { shortcutsOf } from "../model/shortcuts.ts";
import { Keys } from "./kbd.tsx";

export function ShortcutList() {
  const shortcuts = shortcutsOf(useIsTeamServer());
  return (
    <div className="gap-8 p-4 wide:columns-2">
      {shortcuts.map((group) => (
        <section key={group.title} aria-label={group.title} className="mb-4 break-inside-avoid">
          <h3 className="mb-1 text-meta text-ink-soft">{group.title}</h3>
          <dl>
            {group.rows.map((row) => (
              <div key={row.does} className="flex min-h-8 items-center justify-between gap-4">
                <dt>{row.does}</dt>
                <dd>
                  <Keys keys={row.keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
