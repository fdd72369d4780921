/** Links between the run screens. */
import { Link } from "@tanstack/react-router";
import { useWaitingCount } from "./run-queries.ts";

const links = [
  { to: "/runs", title: "Runs" },
  { to: "/approvals", title: "Approvals" },
  { to: "/sessions", title: "Sessions" },
  { to: "/fleet", title: "Fleet" },
  { to: "/templates", title: "Templates" },
  { to: "/personas", title: "Personas" },
] as const;

export function RunsNav() {
  const waiting = useWaitingCount();
  return (
    <nav aria-label="Runs" className="-mx-1 mb-4 flex gap-1 overflow-x-auto">
      {links.map(({ to, title }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ className: "bg-hover text-ink", "aria-current": "page" }}
          inactiveProps={{ className: "text-ink-soft hover:text-ink" }}
          className="flex h-7 shrink-0 items-center gap-1 rounded-small px-2 text-meta font-medium outline-offset-[-2px]"
        >
          {title}
          {to === "/approvals" && waiting > 0 && <span className="text-warn tabular-nums">{waiting}</span>}
        </Link>
      ))}
    </nav>
  );
}
