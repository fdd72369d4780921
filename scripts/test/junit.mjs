/**
 * Reads the report that `bun test --reporter=junit` writes.
 *
 * - `parseJunit(xml)` the tests in it, each with its full name and how it ended.
 */

/**
 * @typedef {{ name: string, outcome: "passed" | "failed" | "skipped" }} ReportedTest
 * @param {string} xml
 * @returns {ReportedTest[]}
 */
export function parseJunit(xml) {
  const tests = [];
  for (const [, attributes = "", selfClosed, body = ""] of xml.matchAll(
    /<testcase\s([^>]*?)(?:(\/)>|>([\s\S]*?)<\/testcase>)/g,
  )) {
    const group = attributeOf(attributes, "classname");
    const own = attributeOf(attributes, "name");
    /** @type {ReportedTest["outcome"]} */
    const outcome =
      !selfClosed && /<(failure|error)\b/.test(body)
        ? "failed"
        : !selfClosed && /<skipped\b/.test(body)
          ? "skipped"
          : "passed";
    tests.push({ name: group ? `${group} > ${own}` : own, outcome });
  }
  return tests;
}

/** @type {Record<string, string>} */
const entities = { lt: "<", gt: ">", quot: '"', apos: "'" };

/** @param {string} attributes @param {string} name */
function attributeOf(attributes, name) {
  const value = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
  return value
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&(lt|gt|quot|apos);/g, (whole, entity) => entities[entity] ?? whole)
    .replaceAll("&amp;", "&");
}
