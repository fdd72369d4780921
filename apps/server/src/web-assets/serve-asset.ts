/**
 * The web app over HTTP: files by path, `index.html` for every page of the app, each compressed once.
 *
 * - `assetServer(assets)(request)` the response; throws `not_found` for anything else.
 */
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import { isServicePath } from "../request-checks/request-checks.ts";
import type { WebAsset, WebAssets } from "./web-assets.ts";

type Encoding = "br" | "gzip" | "identity";

interface Prepared {
  readonly etag: string;
  readonly bodies: Map<Encoding, Uint8Array>;
}

export function assetServer(assets: WebAssets): (request: Request) => Response {
  const prepared = new WeakMap<WebAsset, Prepared>();

  return (request) => {
    const path = decodedPath(request);
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw isServicePath(path)
        ? notFound(path)
        : new DevflowError("method_not_allowed", { details: { path, method: request.method, allowed: "GET or HEAD" } });
    }
    const asset = find(assets, path, request);
    const found = prepared.get(asset) ?? { etag: `W/"${hashBytes(asset.body).slice(0, 32)}"`, bodies: new Map() };
    prepared.set(asset, found);
    const headers: Record<string, string> = {
      "content-type": asset.type,
      "cache-control": asset.immutable ? "public, max-age=31536000, immutable" : "no-cache",
      etag: found.etag,
      vary: "accept-encoding",
    };
    if (matches(request.headers.get("if-none-match"), found.etag)) return new Response(null, { status: 304, headers });
    const encoding = isText(asset.type) ? bestEncoding(request.headers.get("accept-encoding")) : "identity";
    const body = found.bodies.get(encoding) ?? encode(asset.body, encoding);
    found.bodies.set(encoding, body);
    if (encoding !== "identity") headers["content-encoding"] = encoding;
    return new Response(request.method === "HEAD" ? null : (body as BodyInit), { headers });
  };
}

function find(assets: WebAssets, path: string, request: Request): WebAsset {
  if (isServicePath(path)) throw notFound(path);
  const file = path === "/" ? undefined : assets.get(path);
  if (file) return file;
  if (path !== "/" && !isPage(path, request)) throw notFound(path);
  const index = assets.get("/index.html");
  if (index) return index;
  throw new DevflowError("not_found", {
    details: { what: "The web app, which is not built,", next: "Build it: npm run build" },
  });
}

/** A page of the app is requested by a navigation and has no file extension. */
function isPage(path: string, request: Request): boolean {
  const isNavigation =
    request.headers.get("sec-fetch-mode") === "navigate" || (request.headers.get("accept") ?? "").includes("text/html");
  return isNavigation && !path.startsWith("/assets/") && !/\.\w{1,12}$/.test(path);
}

function decodedPath(request: Request): string {
  const { pathname } = new URL(request.url);
  try {
    return decodeURIComponent(pathname);
  } catch {
    throw notFound(pathname);
  }
}

function bestEncoding(accepted: string | null): Encoding {
  const names = (accepted ?? "").split(",").filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one));
  const wanted = names.map((one) => one.split(";")[0]?.trim().toLowerCase());
  if (wanted.includes("br")) return "br";
  return wanted.includes("gzip") ? "gzip" : "identity";
}

function encode(body: Uint8Array, encoding: Encoding): Uint8Array {
  if (encoding === "gzip") return gzipSync(body);
  // Quality 9 of 11: the last two take ten times as long for two per cent, and this runs while someone waits.
  if (encoding === "br") return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
  return body;
}

function isText(type: string): boolean {
  return /^text\/|json|javascript|svg|wasm/.test(type);
}

function matches(header: string | null, etag: string): boolean {
  return (header ?? "").split(",").some((one) => one.trim() === etag);
}

function notFound(path: string): DevflowError {
  return new DevflowError("not_found", { details: { what: path.slice(0, 200), next: "Start at /" } });
}
