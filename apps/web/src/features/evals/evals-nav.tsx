/** Links between the eval screens; they keep the selected suite. */
import { Link } from "@tanstack/react-router";

const links = [
  { to: "/evals", title: "Runs" },
  { to: "/evals/compare", title: "Compare" },
  { to: "/evals/trends", title: "Trends" },
  { to: "/evals/cost", title: "Cost" },
  { to: "/evals/judges", title: "Judges" },
  { to: "/evals/watch", title: "Watch" },
] as const;

export function EvalsNav({ suite, tier }: { suite?: string | undefined; tier?: string | undefined }) {
  return (
    <nav aria-label="Evals" className="-mx-1 mb-4 flex gap-1 overflow-x-auto">
      {links.map(({ to, title }) => (
        <Link
          key={to}
          to={to}
          search={{ suite, tier }}
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
