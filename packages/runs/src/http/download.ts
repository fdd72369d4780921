/**
 * Text by agents as a file to keep: never shown as a page, never run. Agents write whatever they like, HTML included,
 * so a browser is told to save it, to believe the type, and to give it no rights should it show it after all.
 */
export function download(name: string, content: string, type: "text/plain" | "application/json" | "text/markdown") {
  const plain = name.replace(/[^\w.-]/g, "_").slice(0, 100) || "file";
  return new Response(content, {
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "content-disposition": `attachment; filename="${plain}"`,
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}
