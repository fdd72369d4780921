import { isAbsolute, relative } from "node:path";

/** Whether `path` is `folder` or below it. Both absolute. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
