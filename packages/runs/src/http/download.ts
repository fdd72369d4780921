/**
 * Text written by agents, served as a download: never shown as a page, never run. It may contain anything, HTML included,
 * so the headers tell a browser to save it, not to guess its type, and to give it no rights if it shows it anyway.
 */
type ContentType = "text/plain" | "application/json" | "text/markdown" | "application/octet-stream";

export function download(name: string, content: string | Buffer<ArrayBuffer>, type: ContentType) {
  const plain = name.replace(/[^\w.-]/g, "_").slice(0, 100) || "file";
  return new Response(content, {
    headers: {
      "content-type": type === "application/octet-stream" ? type : `${type}; charset=utf-8`,
      "content-disposition": `attachment; filename="${plain}"`,
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}
