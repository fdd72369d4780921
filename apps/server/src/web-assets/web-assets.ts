/**
 * The built web app: a folder, or inside the executable.
 *
 * - `get(path)` the file at a URL path such as `/assets/index-4f2a.js`; undefined when there is none.
 */
export interface WebAsset {
  readonly body: Uint8Array;
  readonly type: string;
  /** Its name contains a hash of its content, so it can be cached forever. */
  readonly immutable: boolean;
}

export interface WebAssets {
  get(path: string): WebAsset | undefined;
}

export const noWebAssets: WebAssets = { get: () => undefined };

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  jpg: "image/jpeg",
  js: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
  map: "application/json; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  webmanifest: "application/manifest+json",
  webp: "image/webp",
  woff2: "font/woff2",
};

export function assetType(path: string): string {
  return types[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream";
}

/** Vite writes `assets/<name>-<hash of 8>.<ext>`. */
export function isHashedName(path: string): boolean {
  return /^\/assets\/.+-[\w-]{8}\.\w+$/.test(path);
}
