/** All keys of the frame, as `?` and the settings show them. */
import { shortcuts } from "../model/shortcuts.ts";
import { Keys } from "./kbd.tsx";

export function ShortcutList() {
  return (
    <div className="grid gap-x-8 gap-y-4 p-4 wide:grid-cols-2">
      {shortcuts.map((group) => (
        <section key={group.title} aria-label={group.title}>
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
