import { Link } from "@tanstack/react-router";

/** A link from an item back to its list. */
export function BackLink({
  to,
  children,
}: {
  to: "/team" | "/activity" | "/runs" | "/templates" | "/personas" | "/evals" | "/browse" | "/brain/decisions" | "/";
  children: string;
}) {
  return (
    <Link to={to} className="mb-2 inline-block text-ink-soft hover:text-ink hover:underline">
      <span aria-hidden="true">← </span>
      {children}
    </Link>
  );
}
