/**
 * Web assets of a folder. Its files are listed once, at the start; a path is looked up in that list and never joined to a
 * folder, so no path can lead outside, and links are not followed. A file may be packed, as inside the executable: `index.html.zst`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { assetType, isHashedName, type WebAsset, type WebAssets } from "./web-assets.ts";

export function folderAssets(folder: string): WebAssets {
  const pathOf = (file: string) => `/${relative(folder, file).split(sep).join("/")}`.replace(packed, "");
  const files = new Map(listFiles(folder).map((file) => [pathOf(file), file]));
  const read = new Map<string, WebAsset>();
  return {
    get(path) {
      const file = files.get(path);
      if (file === undefined) return undefined;
      const known = read.get(path);
      if (known) return known;
      const asset = { body: bodyOf(file), type: assetType(path), immutable: isHashedName(path) };
      read.set(path, asset);
      return asset;
    },
  };
}

const packed = /\.zst$/;

function bodyOf(file: string): Uint8Array {
  const bytes = readFileSync(file);
  return packed.test(file) ? zstdDecompressSync(bytes) : bytes;
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    // Not built yet: the server reports that when the page is opened.
    if ((error as { code?: string }).code === "ENOENT") return [];
    throw error;
  }
}
