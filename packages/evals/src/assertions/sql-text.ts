/**
 * What can be said of SQL before it is parsed.
 *
 * - `likelyNotSql(text, database)` mistakes that parsers accept: `select a b from t`, which lacks a comma.
 * - `sqlBlocks(text)` the code blocks of Markdown that may hold SQL.
 */
const modifiers = "(?:all|distinct)";
const mysqlModifiers =
  "(?:all|distinct(?:row)?|high_priority|straight_join|sql_(?:big_result|buffer_result|cache|calc_found_rows|no_cache|small_result))";

export function likelyNotSql(text: string, database: string): boolean {
  const sql = text.trim();
  if (sql === "" || (sql.match(/`/g)?.length ?? 0) % 2 !== 0) return true;
  if (database === "MySQL" && /\bgenerate_series\s*\(/i.test(sql)) return true;
  const modifier = database === "MySQL" || database === "MariaDB" ? mysqlModifiers : modifiers;
  const name = "[A-Za-z_][A-Za-z0-9_]*";
  const lacksComma = new RegExp(
    `\\bselect\\s+(?:${modifier}\\s+)*(?!${modifier}\\b)${name}\\s+${name}\\s+from\\b`,
    "i",
  );
  return lacksComma.test(bare(sql, database));
}

/** Without comments; quoted text becomes `?`. */
function bare(sql: string, database: string): string {
  const brackets = database === "TransactSQL" || database === "Sqlite" ? "|\\[[^\\]]*\\]?" : "";
  const quoted = new RegExp(
    `(\\$(?:[A-Za-z_]\\w*)?\\$)[\\s\\S]*?(?:\\1|$)|'(?:[^'\\\\]|\\\\[\\s\\S]|'')*'?|"(?:[^"\\\\]|\\\\[\\s\\S]|"")*"?|\`[^\`]*\`?${brackets}|(--[^\\r\\n]*|#[^\\r\\n]*|/\\*[\\s\\S]*?(?:\\*/|$))`,
    "g",
  );
  return sql.replace(quoted, (_, _dollar, comment: string | undefined) => (comment === undefined ? " ? " : " "));
}

const fence = /^[ \t]{0,3}(`{3,}|~{3,})(.*)$/;

export function sqlBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: { fence: string; isSql: boolean; lines: string[] } | undefined;
  for (const line of text.split(/\r\n?|\n/)) {
    const found = fence.exec(line);
    const marker = found?.[1] ?? "";
    const info = found?.[2] ?? "";
    if (!open) {
      if (found) open = { fence: marker, isSql: ["", "sql"].includes(info.trim().toLowerCase()), lines: [] };
    } else if (found && info.trim() === "" && marker[0] === open.fence[0] && marker.length >= open.fence.length) {
      if (open.isSql) blocks.push(open.lines.join("\n").trim());
      open = undefined;
    } else open.lines.push(line);
  }
  return blocks;
}
