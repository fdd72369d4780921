/**
 * What a script in the page gave, as plain data that can be printed. Runs in the page's own world and is sent as text, like
 * page-world.ts.
 *
 * - `plainValue(value)` the same value, with what JSON has no word for as text: an element as `<h1#top.big>`, an error as its message,
 *   NaN, a bigint, a function, a value inside itself. A Map becomes an object or pairs, a Set a list.
 */
export function plainValue(given: unknown): unknown {
  const maxDepth = 40;
  let left = 50_000;

  function plain(value: unknown, above: readonly unknown[]): unknown {
    if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "symbol") return String(value);
    if (typeof value === "function") return `function ${value.name}`.trim();
    if (typeof value !== "object" || value === null) return value;
    if (above.includes(value)) return "[circular]";
    if (above.length >= maxDepth || --left < 0) return "…";
    return ofObject(value, [...above, value]);
  }

  function ofObject(value: object, above: readonly unknown[]): unknown {
    if (value instanceof Node) return nameOf(value);
    if (value === globalThis) return "[window]";
    if (value instanceof Error) return String(value);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
    if (value instanceof RegExp || value instanceof URL) return String(value);
    if (value instanceof Map) return ofMap(value, above);
    const isList = Array.isArray(value) || value instanceof Set || value instanceof NodeList;
    if (isList || value instanceof HTMLCollection || ArrayBuffer.isView(value)) {
      return Array.from(value as Iterable<unknown>, (one) => plain(one, above));
    }
    return ofFields(value as Record<string, unknown>, above);
  }

  function ofMap(value: ReadonlyMap<unknown, unknown>, above: readonly unknown[]): unknown {
    const pairs = Array.from(value, ([key, one]) => [plain(key, above), plain(one, above)]);
    return pairs.every(([key]) => typeof key === "string") ? Object.fromEntries(pairs) : pairs;
  }

  function ofFields(value: Record<string, unknown>, above: readonly unknown[]): unknown {
    const fields: [string, unknown][] = [];
    for (const key of Object.keys(value)) {
      if (left <= 0) break;
      try {
        const one = value[key];
        // JSON leaves these out too.
        if (one !== undefined && typeof one !== "function") fields.push([key, plain(one, above)]);
      } catch {
        // A field that cannot be read, such as of another site's window.
      }
    }
    return Object.fromEntries(fields);
  }

  function nameOf(node: Node): string {
    if (!(node instanceof Element)) return node instanceof Text ? node.data : `[${node.nodeName}]`;
    const id = node.id ? `#${node.id}` : "";
    return `<${[`${node.localName}${id}`, ...node.classList].join(".")}>`;
  }

  return plain(given, []);
}
