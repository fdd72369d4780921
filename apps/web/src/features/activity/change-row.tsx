/** One change in a list. A change that arrives while the page is open flashes once. */
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { LoggedChange } from "../../model/change-log.ts";
import { describeChange } from "../../model/describe-change.ts";
import { RelativeTime } from "../../parts/relative-time.tsx";

/** Changes are immutable, so the object itself can be the key. */
const shown = new WeakSet<LoggedChange>();

export function ChangeRow({ change, name }: { change: LoggedChange; name: string | undefined }) {
  const [flash] = useState(() => change.live && !shown.has(change));
  useEffect(() => {
    shown.add(change);
  }, [change]);
  return (
    <li className={flash ? "flash" : undefined} data-seq={change.seq}>
      <Link
        to="/activity/$teamId/$seq"
        params={{ teamId: change.teamId, seq: String(change.seq) }}
        data-row
        className="flex min-h-12 items-center gap-4 px-4 py-2 outline-offset-[-2px] hover:bg-hover"
      >
        <span className="min-w-6 shrink-0 font-mono text-meta text-ink-soft tabular-nums">{change.seq}</span>
        <span className="min-w-0 flex-1 break-words">
          <span className="font-medium">{describeChange(change)}</span>
          {name !== undefined && <span className="text-ink-soft"> {name}</span>}
        </span>
        <span className="text-meta text-ink-soft">
          <RelativeTime at={change.at} />
        </span>
      </Link>
    </li>
  );
}
