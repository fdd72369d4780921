/** What people call a repository: the last part of its remote, or its folder where it has none. */
import { basename } from "node:path";

export function repositoryTitle(repo: string | null | undefined, root: string): string {
  const [host = "", ...path] = (repo ?? "").split("/");
  return (host.includes(".") ? path.at(-1) : undefined) ?? basename(root);
}
