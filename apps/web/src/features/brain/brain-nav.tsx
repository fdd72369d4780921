/** Links between the brain's screens. */
import { Link } from "@tanstack/react-router";

const links = [
  { to: "/brain", title: "Now" },
  { to: "/brain/decisions", title: "Decisions" },
  { to: "/brain/intents", title: "Intents" },
  { to: "/brain/handoffs", title: "Handoffs" },
  { to: "/brain/files", title: "Files" },
] as const;

export function BrainNav() {
  return (
    <nav aria-label="Brain" className="-mx-1 mb-4 flex gap-1 overflow-x-auto">
      {links.map(({ to, title }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ className: "bg-hover text-ink", "aria-current": "page" }}
          inactiveProps={{ className: "text-ink-soft hover:text-ink" }}
          className="flex h-7 shrink-0 items-center rounded-small px-2 text-meta font-medium outline-offset-[-2px]"
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
