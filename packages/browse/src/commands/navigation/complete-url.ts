/**
 * Completes a typed address to a full URL. Pure.
 *
 * Local hosts and bare IP addresses get `http:`, others `https:`.
 */
export function completeUrl(typed: string): string {
  const given = typed.trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given) || /^(about|data|blob|view-source|file|javascript):/i.test(given))
    return given;
  if (given.startsWith("//")) return `https:${given}`;
  const host = /^[^/?#]+/.exec(given)?.[0] ?? "";
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|[^.:]+\.localhost|0\.0\.0\.0)(:\d+)?$/i.test(host);
  const isBare = /^\d+\.\d+\.\d+\.\d+(:\d+)?$/.test(host) || /^[^.]+:\d+$/.test(host);
  return `${isHere || isBare ? "http" : "https"}://${given}`;
}
